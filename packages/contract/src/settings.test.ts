import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { defaultSettings, LANGUAGES, parseSettings, settingFields } from "./settings.ts";

test("R-1-25: one key overrides its default, the others stay", () => {
  const { settings, problems } = parseSettings({ currency: "USD" });
  expect(settings).toEqual({ ...defaultSettings(), currency: "USD" });
  expect(problems).toEqual([]);
});

test("objects merge deep", () => {
  const { settings } = parseSettings({ machineStatus: { "7": "available" } });
  expect(settings.machineStatus).toMatchObject({ "3": "playing", "7": "available" });
});

test("a bad value is reported with its key and replaced by its default", () => {
  const { settings, problems } = parseSettings({ updateLobby: "soon", volume: 0.5, unheardOf: 1 });
  expect(problems.map(({ key }) => key)).toEqual(["updateLobby"]);
  expect(settings.updateLobby).toBe(10);
  expect(settings.volume).toBe(0.5);
});

test.each([[null], ["text"], [[]], [7], [undefined]])("garbage %j gives the defaults and one problem", (garbage) => {
  const { settings, problems } = parseSettings(garbage);
  expect(settings).toEqual(defaultSettings());
  expect(problems).toHaveLength(1);
});

test.each(["http://[", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://a:99999", "//"])(
  "the address %j is none that a page can call",
  (given) => {
    const names = [
      "apiUrl",
      "templateApiUrl",
      "passwordPath",
      "sessionsPath",
      "transactionsPath",
      "notificationUrl",
      "gameUrl",
    ];
    const { settings, problems } = parseSettings(Object.fromEntries(names.map((name) => [name, given])));
    expect(problems.map(({ key }) => key).toSorted()).toEqual(names.toSorted());
    expect(settings).toEqual(defaultSettings());
  },
);

test("paths and whole addresses are taken as they are", () => {
  const given = {
    apiUrl: "https://api.test:81/v2",
    passwordPath: "/account/new",
    notificationUrl: "ws://push.test/n",
    gameUrl: "",
  };
  expect(parseSettings(given)).toEqual({ settings: { ...defaultSettings(), ...given }, problems: [] });
});

// player 6
test("player 6: what ships has help, info pages and the lock, and says that it is a demo", async () => {
  const shipped = JSON.parse(
    await readFile(new URL("../../../deploy/operator/Settings.json", import.meta.url), "utf8"),
  );
  const { settings, problems } = parseSettings(shipped);
  expect(problems).toEqual([]);
  expect(Object.keys(shipped).filter((key) => !(key in settingFields))).toEqual([]);
  expect(settings).toMatchObject({
    externalInfo: true,
    pinCheck: true,
    languageOfBrowser: true,
    showTemplateKeys: false,
  });
  for (const language of LANGUAGES) {
    expect(settings.contacts[0]?.title).toHaveProperty(language);
    expect(settings.loginNotice).toHaveProperty(language);
  }
  expect(settings.contacts[0]).toMatchObject({
    title: { en: "Demo: enter your own support contacts in Settings.json." },
  });
});

test("a hostile prototype key changes nothing outside the settings", () => {
  const hostile = JSON.parse('{"theme":{"__proto__":{"polluted":"yes"}},"__proto__":{"volume":0}}');
  const { settings } = parseSettings(hostile);
  expect(settings.volume).toBe(1);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
