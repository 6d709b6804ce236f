/** Completion for zsh, with the meaning of each command and option. */
import { type Commands, type Option, type Place, placesOf, quoted, type Word } from './places.ts';

export function zshCompletion(commands: Commands): string {
  const places = placesOf(commands);
  const names = places.filter(({ name }) => name !== '').map(({ name }) => quoted(` ${name}`));
  return `#compdef opentill
# Completion of opentill for zsh, made by: opentill completion zsh
_opentill() {
  local name='' index
  local -a choices options
  for ((index = 2; index < CURRENT; index++)); do
    case "$name \${words[index]}" in
      (${names.join('|')}) name="$name \${words[index]}" ;;
      (*) break ;;
    esac
  done
  case "$name,\${words[CURRENT-1]}" in
${places.flatMap((place) => place.options.filter(({ takesValue }) => takesValue).map((each) => valueCase(place, each))).join('\n')}
  esac
  case "$name" in
${places.map(placeCase).join('\n')}
  esac
  _describe -t commands 'command' choices
  _describe -o -t options 'option' options
}
if [[ $funcstack[1] == _opentill ]]; then
  _opentill "$@"
else
  compdef _opentill opentill
fi`;
}

function valueCase({ name }: Place, { word, choices, isFile }: Option): string {
  const pattern = quoted(`${name === '' ? '' : ` ${name}`},${word}`);
  const values = choices.length > 0 ? ` compadd -- ${choices.map(quoted).join(' ')};` : '';
  return `    (${pattern})${isFile ? ' _files;' : values} return ;;`;
}

function placeCase({ name, words, options, takesFile }: Place): string {
  const files = takesFile ? ' _files;' : '';
  const lists = `choices=(${described(words)}) options=(${described(options)})`;
  return `    (${quoted(name === '' ? '' : ` ${name}`)})${files} ${lists} ;;`;
}

/** A colon divides a word from its meaning. */
function described(words: readonly Word[]): string {
  return words.map(({ word, meaning }) => quoted(`${word.replaceAll(':', '\\:')}:${meaning}`)).join(' ');
}
