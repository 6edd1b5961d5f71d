import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, isTest } from "../source/repository.ts";
import type { Catalogue } from "./catalogue.ts";
import { PAGES, readCatalogues, toCatalogue } from "./catalogue.ts";
import { catalogueBreaches } from "./compare.ts";
import { forbiddenWords, glossaryBreaches } from "./glossary.ts";
import { unknownKeyBreaches } from "./used-keys.ts";

describe.each(PAGES)("the texts of the %s", (page) => {
  test("exist in all languages, with the same placeholders, and none is empty", () => {
    const catalogues = readCatalogues(page);
    expect(catalogues.length).toBeGreaterThan(0);
    expect(tellBreaches(catalogueBreaches(catalogues))).toEqual([]);
  });
  // texts A: one word for one thing in each language.
  test("use the glossary's words", () => {
    expect(tellBreaches(glossaryBreaches(readCatalogues(page)))).toEqual([]);
  });
  test("exist for every key the code asks for", () => {
    const catalogues = readCatalogues(page);
    const sources = [`apps/${page}/src/`, "packages/ui/src/"];
    const files = codeFiles().filter(({ path }) => sources.some((start) => path.startsWith(start)) && !isTest(path));
    expect(tellBreaches(files.flatMap((file) => unknownKeyBreaches(file, catalogues)))).toEqual([]);
  });
});

test("the texts need every exception of the glossary that is written down", () => {
  const catalogues = PAGES.flatMap(readCatalogues);
  const kept = forbiddenWords.flatMap(({ language, word, except = [] }) =>
    except.filter((key) => !catalogues.some((one) => one.language === language && isUsed(one, key, word))),
  );
  expect(kept).toEqual([]);
});

const isUsed = ({ area, texts }: Catalogue, except: string, word: RegExp): boolean =>
  Array.from(texts).some(([key, text]) => [`${area}.${key}`, `${area}.*`].includes(except) && word.test(String(text)));

const catalogues = (tr: unknown, en: unknown, ar: unknown) =>
  Object.entries({ tr, en, ar }).map(([language, content]) => toCatalogue(`c/${language}/lobby.json`, content));
const check = (tr: unknown, en: unknown, ar: unknown) => tellBreaches(catalogueBreaches(catalogues(tr, en, ar)));

describe("the comparison finds", () => {
  test("a key that one language lacks, also inside a group", () => {
    expect(check({ a: "x", g: { b: "y" } }, { a: "x", g: { b: "y" } }, { a: "x" })).toEqual([
      `c/ar/lobby.json lacks "g.b", which another language has.`,
    ]);
  });
  test("an empty text, and one that is no text", () => {
    expect(check({ a: " " }, { a: "x" }, { a: 5 })).toEqual([
      `c/ar/lobby.json has no text for "a".`,
      `c/tr/lobby.json has no text for "a".`,
    ]);
  });
  test("another placeholder", () => {
    expect(check({ a: "{sum}" }, { a: "{amount}" }, { a: "{ sum, number }" })).toEqual([
      `c/en/lobby.json fills "a" with {amount}, but c/tr/lobby.json with {sum}.`,
    ]);
    expect(check({ a: "<0>x</0>" }, { a: "<0>x</0>" }, { a: "x" })).toEqual([expect.stringContaining("with nothing")]);
  });
  test("a number form that the language needs", () => {
    const two = { n_one: "1", n_other: "{count}" };
    expect(check(two, two, { ...two, n_zero: "0", n_two: "2", n_few: "{count}" })).toEqual([
      `c/ar/lobby.json lacks "n_many": ar has the number forms zero, one, two, few, many, other.`,
    ]);
  });
  test("a file that one language lacks", () => {
    const [tr, en] = catalogues({ a: "x" }, { a: "x" }, {});
    expect(tellBreaches(catalogueBreaches([tr!, en!]))).toEqual([expect.stringContaining("has no ar beside it")]);
  });
  test("nothing in catalogues that agree", () => {
    const arabic = {
      n_zero: "0",
      n_one: "1",
      n_two: "2",
      n_few: "{count}",
      n_many: "{count}",
      n_other: "{count}",
    };
    const two = { n_one: "one spin", n_other: "{count} spins" };
    expect(check(two, two, arabic)).toEqual([]);
  });
});

describe("the glossary finds", () => {
  const breaches = (language: string, text: string) =>
    glossaryBreaches([toCatalogue(`c/${language}/play.json`, { a: text })]);
  test.each([
    ["ar", "الجهاز مقفل"],
    ["ar", "في الآلة {amount}"],
    ["ar", "ابحث عن جهاز"],
    ["ar", "{count} ثانية للمتابعة"],
    ["tr", "Makineye yatır"],
    ["tr", "Cüzdana çek"],
    ["tr", "Chrome veya Safari"],
    ["en", "{amount} of {asked} is on the machine."],
    ["en", "the machine's glass"],
    ["en", "Deposit {amount}"],
    ["en", "The most at once is {amount}."],
    ["en", "You can put in {left} at most now."],
    ["tr", "Cüzdanınıza {amount} çekildi."],
    ["tr", "Görevli ödemesi: {amount}"],
    ["tr", "Bonus sizin."],
    ["ar", "أصبح مبلغ ₺5,000 على الماكينة."],
  ])("in %s: %s", (language, text) => {
    expect(breaches(language, text)).toHaveLength(1);
  });
  test.each([
    ["ar", "الماكينة مقفلة"],
    ["ar", "تجهّز الماكينات"],
    ["tr", "Makineye yükle, çekmece, gerçek"],
    ["en", "{amount} was added to the machine’s credit."],
  ])("nothing in %s: %s", (language, text) => {
    expect(breaches(language, text)).toEqual([]);
  });
});

describe("the search for keys", () => {
  const known = catalogues({ title: "x", n_one: "x", n_other: "x" }, {}, {});
  const tellKeys = (text: string) => tellBreaches(unknownKeyBreaches({ path: "apps/web/src/a.tsx", text }, known));

  test.each([
    [`t("lobby.gone")`],
    [`t("title")`],
    [`speech.t("lobby.gone")`],
    [`t(open ? "lobby.title" : "lobby.gone")`],
    [`t("gone.title")`],
    ["t(`lobby.gone`, { count: 1 })"],
    [`const a = <Trans i18nKey="lobby.gone" />;`],
    [`const a = <Trans i18nKey={"lobby.gone"} />;`],
  ])("finds the missing one in %s", (text) => {
    expect(tellKeys(text)).toEqual([expect.stringContaining("which no catalogue has")]);
  });
  test.each([
    [`t("lobby.title")`],
    [`speech.t("lobby.title")`],
    [`t("lobby.n", { count: 2 })`],
    [`t(\`code.\${code}\`)`],
    [`other("lobby.gone")`],
    [`t(key)`],
  ])("is content with %s", (text) => {
    expect(tellKeys(text)).toEqual([]);
  });
});
