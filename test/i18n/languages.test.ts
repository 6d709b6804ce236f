/** Every language says everything: no sentence is missing, and none leaves out what it is about. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { languageById, languages } from '../../src/i18n/languages/all.ts';

type Sentence = string | ((...given: string[]) => string);

/** Every sentence with its place, such as `transfer.fields.iban`. */
function sentencesOf(messages: object, within = ''): [place: string, sentence: Sentence][] {
  return Object.entries(messages).flatMap(([name, each]): [string, Sentence][] =>
    typeof each === 'object' ? sentencesOf(each, `${within}${name}.`) : [[`${within}${name}`, each]],
  );
}

/** Names that no sentence has by itself. */
const GIVEN = ['⟨1⟩', '⟨2⟩'];

for (const { id, tag, name, direction, messages } of languages) {
  suite(`the language ${id}`, () => {
    test('says everything, with all that is given to a sentence', () => {
      for (const [place, sentence] of sentencesOf(messages)) {
        if (typeof sentence === 'string') assert.match(sentence, /\p{L}/u, place);
        else {
          const said = sentence(...GIVEN);
          for (const each of GIVEN.slice(0, sentence.length))
            assert.ok(said.includes(each), `${place}: ${said}`);
        }
      }
    });

    test('has its own name and direction', () => {
      const own = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? '';
      assert.equal(name.toLowerCase(), own.toLowerCase());
      assert.equal(name, name.charAt(0).toUpperCase() + name.slice(1));
      assert.equal(direction, new Intl.Locale(tag).getTextInfo().direction);
      assert.equal(new Intl.Locale(tag).language, id);
      assert.equal(languageById.get(id)?.messages, messages);
    });
  });
}
