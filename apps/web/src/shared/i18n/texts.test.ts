import { CODE_OK, COUNTDOWN_CODES, problems } from "@longarm/contract/problems";
import { LANGUAGES } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import type { ApiFailure } from "../api/failure.ts";
import { realTexts } from "../testing/fakes.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { codeText, failureText } from "./problem-text.ts";
import type { Area } from "./texts.ts";
import { createTexts } from "./texts.ts";

const refused: ApiFailure = { is: "refused", httpStatus: 409, params: {}, fields: [] };

test.each(LANGUAGES)("every code of the wire has a text in %s, with its places filled", async (language) => {
  const speech = (await realTexts(language, "app", "code")).speech.getState();
  const codes = [...Object.values(problems).map(({ code }) => code), CODE_OK, ...COUNTDOWN_CODES];
  const params = { left_count: 2, block_time: 15, seconds: 30, count: 42 };
  for (const code of codes) {
    const text = codeText(speech, code, params);
    expect(text, String(code)).toBeTruthy();
    expect(text, String(code)).not.toMatch(/[{}]/);
  }
});

test("section 8 in English is word for word, its typing slips included", async () => {
  const speech = (await realTexts("en", "app", "code")).speech.getState();
  const verbatim = Object.values(problems).filter(({ code }) => code < 60_000 || code === 70_000);
  for (const { code, text } of verbatim) {
    expect(codeText(speech, code, { left_count: "{left_count}", block_time: "{block_time}" })).toBe(text);
  }
  expect(codeText(speech, CODE_OK)).toBe("Request Successfull");
  expect(speech.t("app.tokenFailed")).toBe("Failed to login with token.");
});

test("D-59: 18800, its text and CODE_18800 are one code", async () => {
  const speech = (await realTexts("en", "code")).speech.getState();
  for (const code of [18800, "18800", "CODE_18800"]) {
    expect(codeText(speech, code, { count: 10 })).toBe("10 seconds left to deposit funds");
  }
});

test("R-8-02: our text of a code, else the ErrorMessage, else a sentence of ours", async () => {
  const speech = (await realTexts("en", "app", "code")).speech.getState();
  expect(failureText(speech, { ...refused, code: 10704, message: "X" })).toBe("You have been banned");
  expect(failureText(speech, { ...refused, code: 99999, message: "X" })).toBe("X");
  expect(failureText(speech, refused)).toBe("That did not work. Please try again.");
  expect(failureText(speech, { ...refused, is: "unauthorised" })).toBe("Invalid access_token");
  expect(failureText(speech, { ...refused, is: "network" })).toBe("Network Error, please check your connection");
});

test("a hostile code or parameter finds no other text", async () => {
  const speech = (await realTexts("en", "app", "code")).speech.getState();
  expect(codeText(speech, "app.close")).toBeUndefined();
  expect(codeText(speech, "__proto__")).toBeUndefined();
  expect(codeText(speech, 10700, { left_count: "<b>{block_time}</b>", block_time: 1 })).toContain("<b>");
});

test("a language change loads what was loaded so far, then speaks at once; a failed load changes nothing", async () => {
  const asked: string[] = [];
  let down = false;
  const texts = await createTexts(
    "tr",
    (language, area) => {
      asked.push(`${language}/${area}`);
      return down ? Promise.reject(new Error("offline")) : loadCatalogue(language, area);
    },
    ["app"] satisfies Area[],
  );
  await texts.need("lobby");
  const before = texts.speech.getState();
  await texts.speak("en");
  expect(asked).toEqual(["tr/app", "tr/lobby", "en/app", "en/lobby"]);
  expect(texts.speech.getState().t("lobby.play")).toBe("Play");
  expect(texts.speech.getState().t).not.toBe(before.t);
  down = true;
  await expect(texts.speak("ar")).rejects.toThrow("offline");
  expect(texts.speech.getState().language).toBe("en");
  down = false;
  await texts.speak("ar");
  expect(texts.speech.getState().t("lobby.play")).toBe("العب");
});

test.each([
  ["tr", ["0 makine", "1 makine", "5 makine"]],
  ["en", ["0 machines", "1 machine", "5 machines"]],
  ["ar", ["لا أجهزة", "جهاز واحد", "5 أجهزة"]],
] as const)("plurals in %s", async (language, expected) => {
  const { t } = (await realTexts(language, "lobby")).speech.getState();
  expect([0, 1, 5].map((count) => t("lobby.machines", { count }))).toEqual(expected);
});
