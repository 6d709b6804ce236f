/** Completion for bash: a function that goes by the words before the cursor, and starts no process. */
import { type Commands, type Option, type Place, placesOf, quoted } from './places.ts';

export function bashCompletion(commands: Commands): string {
  const places = placesOf(commands);
  const names = places.filter(({ name }) => name !== '').map(({ name }) => quoted(` ${name}`));
  return `# Completion of opentill for bash, made by: opentill completion bash
_opentill() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} name='' index words=''
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$name \${COMP_WORDS[index]}" in
      ${names.join('|')})
        name="$name \${COMP_WORDS[index]}" ;;
      *) break ;;
    esac
  done
  case "$name,$previous" in
${places.flatMap((place) => place.options.filter(({ takesValue }) => takesValue).map((each) => valueCase(place, each))).join('\n')}
  esac
  case "$name" in
${places.map(placeCase).join('\n')}
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _opentill opentill`;
}

function valueCase({ name }: Place, { word, choices, isFile }: Option): string {
  const pattern = quoted(`${name === '' ? '' : ` ${name}`},${word}`);
  if (isFile) return `    ${pattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;`;
  const list = quoted(choices.join(' '));
  if (choices.length > 0) return `    ${pattern}) COMPREPLY=($(compgen -W ${list} -- "$current")); return ;;`;
  return `    ${pattern}) return ;;`;
}

function placeCase({ name, words, options, takesFile }: Place): string {
  const list = [...words, ...options].map(({ word }) => word).join(' ');
  const files = takesFile ? ' COMPREPLY=($(compgen -f -- "$current"));' : '';
  return `    ${quoted(name === '' ? '' : ` ${name}`)})${files} words=${quoted(list)} ;;`;
}
