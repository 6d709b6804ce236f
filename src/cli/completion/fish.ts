/** Completion for fish: one line for each word, with the place where it can stand. */
import { type Commands, type Option, type Place, placesOf } from './places.ts';

export function fishCompletion(commands: Commands): string {
  const places = placesOf(commands);
  const names = places.filter(({ name }) => name !== '').map(({ name }) => quoted(name));
  return `# Completion of opentill for fish, made by: opentill completion fish
function __opentill_at
    set -l names ${names.join(' ')}
    set -l name ''
    for word in (commandline -opc)[2..]
        set -l next (string trim -- "$name $word")
        contains -- "$next" $names; or break
        set name $next
    end
    test "$name" = "$argv"
end
complete -c opentill -f
${places.flatMap(linesOf).join('\n')}`;
}

function linesOf(place: Place): readonly string[] {
  const at = `complete -c opentill -n ${quoted(`__opentill_at ${quoted(place.name)}`)}`;
  return [
    ...(place.takesFile ? [`${at} -F`] : []),
    ...place.words.map(({ word, meaning }) => `${at} -a ${quoted(word)} -d ${quoted(meaning)}`),
    ...place.options.map((each) => `${at} ${optionOf(each)}`),
  ];
}

function optionOf({ word, meaning, takesValue, choices, isFile }: Option): string {
  const value = isFile ? ' -r -F' : takesValue ? ' -x' : '';
  const values = choices.length > 0 ? ` -a ${quoted(choices.join(' '))}` : '';
  return `-l ${word.slice(2)}${value}${values} -d ${quoted(meaning)}`;
}

/** Quotes a text for fish, whose single quotes know two escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
