import { CODE_OK } from "@longarm/contract/call";
import { COUNTDOWN_CODES, problems } from "@longarm/contract/problems";
import { LANGUAGES } from "@longarm/contract/settings";
import type { Area } from "@longarm/ui/i18n/texts.ts";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { expect, test } from "vitest";
import type { ApiFailure } from "../api/failure.ts";
import { realTexts } from "../testing/fakes.ts";
import { loadCatalogue } from "./load-catalogue.ts";
import { codeText, failureText } from "./problem-text.ts";

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

// Written out here, typing slips included: neither the catalogue nor the contract may move them.
test.each([
  ["R-8-03", 10, "Signature Doesn't Verified"],
  ["R-8-04", 20000, "Request Successfull"],
  ["R-8-05", 40000, "Invalid request"],
  ["R-8-06", 40001, "Old password is wrong"],
  ["R-8-07", 40101, "Password is too short"],
  ["R-8-08", 10700, "Wrong username or password. Remaining attempts: 2, block time: 15 minutes"],
  ["R-8-09", 10701, "username or password is wrong"],
  ["R-8-10", 10702, "Account protected after too many false attempts"],
  ["R-8-11", 10703, "Your ip is not permitted"],
  ["R-8-12", 10704, "You have been banned"],
  ["R-8-13", 50100, "The session has been terminated, unable to process the transaction"],
  ["R-8-14", 70000, "Failed to start pipeline, contact the technical team"],
  ["R-8-15", 18800, "10 seconds left to deposit funds"],
  ["R-8-16", 18802, "10 seconds left to continue"],
  ["R-8-17", 18801, "Your session is being terminated"],
])("%s: code %i reads “%s”, with its prefix or without, and ErrorMessage does not matter", async (_, code, text) => {
  const speech = (await realTexts("en", "app", "code")).speech.getState();
  const params = { left_count: 2, block_time: 15, count: 10 };
  for (const written of [code, `${code}`, `CODE_${code}`]) expect(codeText(speech, written, params)).toBe(text);
  expect(failureText(speech, { ...refused, code, params, message: "something else" })).toBe(text);
  const known = Object.values(problems).find((problem) => problem.code === code);
  // What the platform says in the same case is the same sentence, its places still open.
  if (known !== undefined) expect(known.text.replace("{left_count}", "2").replace("{block_time}", "15")).toBe(text);
});

test("R-8-01: the places of a code's text are filled in every language, with whatever came", async () => {
  for (const language of LANGUAGES) {
    const speech = (await realTexts(language, "code")).speech.getState();
    const text = codeText(speech, 10700, { left_count: 7, block_time: "23" });
    expect(text).toMatch(/7/);
    expect(text).toMatch(/23/);
  }
});

test("the other sentences of section 8 in English, word for word", async () => {
  const { t } = (await realTexts("en", "app", "auth", "play")).speech.getState();
  expect(t("app.invalidToken")).toBe("Invalid access_token");
  expect(t("app.networkError")).toBe("Network Error, please check your connection");
  expect(t("app.tokenFailed")).toBe("Failed to login with token.");
  expect(t("auth.notAllowed")).toBe("LOGIN is not allowed. Probably Access Token is no longer valid");
  expect(t("auth.minLength")).toBe("Min character length is 4");
  expect(t("auth.loggingOut")).toBe("Logging out..");
});

test.each([
  [
    "en",
    "Login fail|Not allowed|Success|Check fail|Check success|Logout success|Changed password|Temporary blocked|Kicked by player",
  ],
  [
    "tr",
    "Giriş başarısız|İzin verilmedi|Giriş başarılı|Token kontrolü başarısız|Token kontrolü başarılı|Çıkış başarılı|Parola değiştirildi|Geçici olarak engellendi|Oyuncu tarafından çıkarıldı",
  ],
  [
    "ar",
    "فشل تسجيل الدخول|غير مسموح|نجح تسجيل الدخول|فشل التحقق من الرمز|نجح التحقق من الرمز|نجح تسجيل الخروج|تم تغيير كلمة المرور|محظور مؤقتًا|أخرجه اللاعب",
  ],
] as const)("R-8-25: every log type has its label in %s", async (language, labels) => {
  const { t } = (await realTexts(language, "logType")).speech.getState();
  const types = [
    ...(["logType.loginFail", "logType.notAllowed", "logType.success", "logType.checkFail"] as const),
    ...(["logType.checkSuccess", "logType.logoutSuccess", "logType.changedPassword"] as const),
    ...(["logType.temporaryBlocked", "logType.kickedByPlayer"] as const),
  ];
  expect(types.map((type) => t(type)).join("|")).toBe(labels);
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
  ["ar", ["لا ماكينات", "ماكينة واحدة", "5 ماكينات"]],
] as const)("plurals in %s", async (language, expected) => {
  const { t } = (await realTexts(language, "lobby")).speech.getState();
  expect([0, 1, 5].map((count) => t("lobby.machines", { count }))).toEqual(expected);
});

test("an area that cannot be had keeps no other one away, and is asked for again; a language that cannot be had neither", async () => {
  let away: string | undefined = "reconnect";
  const texts = await createTexts(
    "en",
    async (language, area) => {
      if (area === away || language === away) throw new Error("The network is away");
      return loadCatalogue(language, area);
    },
    ["app"],
  );
  const { speech } = texts;
  await expect(texts.need("reconnect")).rejects.toThrow("away");
  await texts.need("play");
  expect(speech.getState().t("play.spin")).toBe("SPIN");
  away = "tr";
  await expect(texts.speak("tr")).rejects.toThrow("away");
  await texts.need("reconnect");
  expect(speech.getState().t("reconnect.continue")).toBe("Continue");
});
