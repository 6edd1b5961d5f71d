import { expect, test, vi } from "vitest";
import { loadCatalogue } from "../../shared/i18n/load-catalogue.ts";
import { memoryStorage, scriptedFetch, testToken } from "../../shared/testing/fakes.ts";
import { autoLogout, followOtherTabs } from "./sign-in.ts";
import { startUp } from "./start.ts";

const deniz = testToken({ id: "p_1", username: "deniz.aydin" });
const elif = testToken({ id: "p_2", username: "elif.kaya" });

async function signedIn(token: string | null = deniz, answers: Parameters<typeof scriptedFetch>[0] = {}) {
  const storage = memoryStorage({ "longarm.language": "en", ...(token !== null && { jwt_access_token: token }) });
  const { fetch, asked } = scriptedFetch({ "/Settings.json": { json: {} }, "/v1/validate": { json: {} }, ...answers });
  const app = await startUp({
    ...{ fetch, storage, loadCatalogue, arrivedWith: null, onReady() {}, log() {} },
    clock: { now: () => 0 },
    timers: { after: () => () => {} },
    random: () => 0.5,
    newId: () => "id",
    page: new URL("http://page.test/"),
  });
  const said = () => app.messages.shown.getState().map(({ text }) => text);
  return { app, storage, asked, said, who: () => app.auth.state.getState().is };
}

test("R-4.2-05, R-8-22: an automatic logout says its message if it has one, then signs out", async () => {
  const first = await signedIn();
  autoLogout(first.app, "Over");
  expect([first.said(), first.who(), first.storage.all.has("jwt_access_token")]).toEqual([["Over"], "guest", false]);
  const second = await signedIn();
  autoLogout(second.app);
  expect([second.said(), second.who()]).toEqual([[], "guest"]);
});

test("R-4.2-09, R-4.2-10: many calls that end in a 401 clear the session once, with one message", async () => {
  const { app, said, who, asked } = await signedIn(deniz, { "/v1/player/balance": { status: 401 } });
  await Promise.all([app.api.call("balance"), app.api.call("balance"), app.api.call("balance")]);
  expect([said(), who()]).toEqual([["Invalid access_token"], "guest"]);
  await app.api.call("balance");
  expect(asked.at(-1)?.headers["authorization"]).toBeUndefined();
  expect(said()).toHaveLength(1);
});

test("a player whose token another tab took away is signed out by the next 401 too", async () => {
  const { app, storage, said, who } = await signedIn(deniz, { "/v1/player/balance": { status: 401 } });
  storage.remove("jwt_access_token");
  await app.api.call("balance");
  expect([said(), who()]).toEqual([["Invalid access_token"], "guest"]);
});

test("another tab signed out: so is this one, and what that tab stored is left alone", async () => {
  const { app, storage, said, who } = await signedIn();
  storage.remove("jwt_access_token");
  storage.write("pin_code", "kept");
  await followOtherTabs(app, () => {});
  expect([who(), said(), storage.all.get("pin_code")]).toEqual(["guest", [], "kept"]);
});

test("a sign-out in another tab while the token is checked holds", async () => {
  const { app, storage, who } = await signedIn(null, {
    "/v1/validate": () => {
      storage.remove("jwt_access_token");
      return { json: {} };
    },
  });
  storage.write("jwt_access_token", deniz);
  await followOtherTabs(app, () => {});
  expect([who(), storage.all.has("jwt_access_token")]).toEqual(["guest", false]);
});

test("another tab signed in: so is this one", async () => {
  const { app, storage, who } = await signedIn(null);
  storage.write("jwt_access_token", deniz);
  await followOtherTabs(app, () => {});
  expect(who()).toBe("player");
});

test("a renewed token of the same player changes nothing, another player's starts the page anew", async () => {
  const reload = vi.fn();
  const { app, storage } = await signedIn();
  storage.write("jwt_access_token", testToken({ id: "p_1", jti: "renewed" }));
  await followOtherTabs(app, reload);
  expect(reload).not.toHaveBeenCalled();
  storage.write("jwt_access_token", elif);
  await followOtherTabs(app, reload);
  expect(reload).toHaveBeenCalledOnce();
});

test("wrong types in the answer cost only their fields, not the sign-in", async () => {
  const strange = { Permissions: "145", last_logon: 7, ip_address: {}, pin_code: ["x"], token: 5, versions: null };
  const { app, storage, said } = await signedIn(deniz, { "/v1/validate": { json: strange } });
  expect(app.auth.state.getState()).toMatchObject({ is: "player", player: { id: "p_1", LastLogon: "", IP: "" } });
  expect(storage.all.get("jwt_access_token")).toBe(deniz);
  expect(storage.all.has("pin_code")).toBe(false);
  expect(said()).toEqual([]);
});

test.each(["ş", "a b", "a\nb: c", "x".repeat(9_000)])(
  "a token that cannot be sent (%.20j) is bad, and gone",
  async (token) => {
    const { storage, asked, said } = await signedIn(token);
    expect(asked.map(({ path }) => path)).toEqual(["/Settings.json"]);
    expect([said(), storage.all.has("jwt_access_token")]).toEqual([["Invalid access_token"], false]);
  },
);

test.each([
  ["a list", []],
  ["null", null],
  ["a text", "yes"],
])("a token check that is answered with %s is a failed one", async (_, json) => {
  const { said, who } = await signedIn(deniz, { "/v1/validate": { json, text: JSON.stringify(json) } });
  expect([said(), who()]).toEqual([["Failed to login with token."], "guest"]);
});
