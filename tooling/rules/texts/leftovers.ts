import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";

interface Leftover {
  pattern: RegExp;
  sentence: (found: string) => string;
}

const leftovers: readonly Leftover[] = [
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    sentence: (found) => `says ${found}: do it now, or write an issue and say here what holds today.`,
  },
  {
    pattern: /\b(?:describe|test|it|suite|bench)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b/,
    sentence: (found) => `has ${found}: every test runs, always; mend it or delete it.`,
  },
  {
    pattern: /@ts-(?:ignore|nocheck)/,
    sentence: (found) => `has ${found}: make the types true.`,
  },
];

const homes: readonly Leftover[] = [
  {
    pattern: /registry\.(?:npmjs|yarnpkg)\.\w+|["'\s=]https?:\/\/(?:registry|npm|proxy|mirror)\.[\w.-]+/,
    sentence: (found) => `names a package registry (${found.trim()}): which one to use is a setting of each computer.`,
  },
  {
    pattern: /(?<![\w.])\/(?:work|home\/\w+|Users\/\w+|root)\/[\w.-]+/,
    sentence: (found) =>
      `names a folder of one computer (${found}): find it from the file's own place, or take it as a setting.`,
  },
];

const tools: readonly Leftover[] = [
  {
    pattern:
      /(?<![\w.$}/]|#!)\/(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:exec)?)\/[\w.-]+|(?<![\w.])\/(?:snap|Applications|opt\/homebrew)\/[\w.-]+/,
    sentence: (found) =>
      `names a fixed path of a tool (${found}): get it from tooling/finders, which finds it, fetches it or says what to do.`,
  },
];

const testHooks: readonly Leftover[] = [
  {
    pattern: /\bLONGARM_[A-Z_]+/,
    sentence: (found) =>
      `reads ${found}, a setting of the tests: what ships has none; wrap a seam with \`preload\` of @longarm/link/testing.`,
  },
  {
    pattern: /\bprocess\.(?:abort|kill\(process\.pid)/,
    sentence: (found) => `can kill itself (${found}): only a test does that, from outside.`,
  },
];

/** Unfinished work, and tests or types that are switched off. */
export const leftoverBreaches = (file: SourceFile): Breach[] => search(file, leftovers);

/** What is true only on the computer of the person who wrote it. */
export const homeBreaches = (file: SourceFile): Breach[] => search(file, homes);

/** Programs looked for where one computer has them. */
export const toolPathBreaches = (file: SourceFile): Breach[] => search(file, tools);

/** Ways for a test to change or end a program, in the program itself. */
export const testHookBreaches = (file: SourceFile): Breach[] => search(file, testHooks);

function search(file: SourceFile, wanted: readonly Leftover[]): Breach[] {
  return file.text.split("\n").flatMap((text, index) =>
    wanted.flatMap(({ pattern, sentence }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [{ path: file.path, line: index + 1, sentence: sentence(found) }];
    }),
  );
}
