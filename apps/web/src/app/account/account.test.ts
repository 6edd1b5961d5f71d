import { fakeTimers } from "@longarm/link/testing";
import { expect, test, vi } from "vitest";
import { loadCatalogue } from "../../shared/i18n/load-catalogue.ts";
import { memoryStorage, scriptedFetch, testToken } from "../../shared/testing/fakes.ts";
import { startUp } from "../start/start.ts";
import { registerWith } from "../template/template-route.tsx";
import { GATHER_MS, saveUserData } from "./save-user-data.ts";
import { templateApiOf } from "./template-api.ts";

const deniz = testToken({ id: "p_1", name: "Deniz", lastname: "Aydın", email: "deniz@example.test" });
const REGISTER = "/api/auth/register";
const UPDATE = "/api/auth/user/update";
const kept = { json: { uuid: "p_1", role: ["user"], data: { displayName: "Deniz" } } };

async function started(answers: Parameters<typeof scriptedFetch>[0] = {}, token: string | null = deniz) {
  const storage = memoryStorage({ "longarm.language": "en", ...(token !== null && { jwt_access_token: token }) });
  const { fetch, asked } = scriptedFetch({ "/Settings.json": { json: {} }, "/v1/validate": { json: {} }, ...answers });
  const timers = fakeTimers();
  const app = await startUp({
    ...{ fetch, storage, timers, loadCatalogue, arrivedWith: null, onReady() {}, log() {} },
    clock: { now: () => 0 },
    random: () => 0.5,
    newId: () => "id",
    page: new URL("http://page.test/lobby"),
  });
  return {
    ...{ app, storage, timers, asked },
    said: () => app.messages.shown.getState().map(({ text }) => text),
    bodies: (path: string) => asked.filter((one) => one.path === path).map(({ body }) => body),
    who: () => app.auth.state.getState(),
  };
}

test("R-7-17: a burst of changes is one call with the user, and is said once", async () => {
  const { app, timers, asked, bodies, said } = await started({ [UPDATE]: kept });
  const saves = [
    saveUserData(app, { settings: { animations: true } }),
    saveUserData(app, { shortcuts: ["lobby"] }),
    saveUserData(app, { settings: { animations: false } }),
  ];
  timers.advance(GATHER_MS - 1);
  expect(bodies(UPDATE)).toEqual([]);
  timers.advance(1);
  expect(await Promise.all(saves)).toEqual([true, true, true]);
  const data = { displayName: "Deniz Aydın", photoURL: "", email: "deniz@example.test" };
  expect(bodies(UPDATE)).toEqual([
    {
      user: {
        ...{ uuid: "p_1", from: "longarm", role: ["user"] },
        data: { ...data, settings: { animations: false }, shortcuts: ["lobby"] },
      },
    },
  ]);
  expect(asked.at(-1)).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${deniz}` } });
  expect(said()).toEqual(["User data saved with api"]);
});

test("R-6-13: nothing of a guest is saved", async () => {
  const { app, timers, asked } = await started({ [UPDATE]: kept }, null);
  expect(await saveUserData(app, { settings: { animations: false } })).toBe(false);
  timers.advance(GATHER_MS * 10);
  expect(asked.map(({ path }) => path)).toEqual(["/Settings.json"]);
});

test("what could not be saved is said, and goes with the next", async () => {
  let answer: object = { status: 500, json: {} };
  const { app, timers, bodies, said } = await started({ [UPDATE]: () => answer });
  const first = saveUserData(app, { settings: { animations: false }, shortcuts: ["lobby"] });
  timers.advance(GATHER_MS);
  expect(await first).toBe(false);
  expect(said()).toEqual([expect.stringContaining("could not be saved")]);
  answer = kept;
  const second = saveUserData(app, { shortcuts: [] });
  timers.advance(GATHER_MS);
  expect(await second).toBe(true);
  expect(bodies(UPDATE)[1]).toMatchObject({ user: { data: { settings: { animations: false }, shortcuts: [] } } });
});

test("one call at a time: a later choice is never overtaken by an earlier one", async () => {
  const { app, timers, bodies } = await started({ [UPDATE]: kept });
  const held = Promise.withResolvers<void>();
  const { fetch } = app;
  const slow = vi.fn(async (...how: Parameters<typeof fetch>) => {
    await held.promise;
    return fetch(...how);
  });
  const slowApp = { ...app, fetch: slow };
  const first = saveUserData(slowApp, { shortcuts: ["a"] });
  timers.advance(GATHER_MS);
  await vi.waitFor(() => expect(slow).toHaveBeenCalledOnce(), { timeout: 15_000 });
  const second = saveUserData(slowApp, { shortcuts: ["b"] });
  timers.advance(GATHER_MS);
  expect(slow).toHaveBeenCalledOnce();
  held.resolve();
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(bodies(UPDATE)).toMatchObject([
    { user: { data: { shortcuts: ["a"] } } },
    { user: { data: { shortcuts: ["b"] } } },
  ]);
});

test("a page that is hidden saves at once; a sign-out forgets what was not sent", async () => {
  const { app, timers, bodies } = await started({ [UPDATE]: kept });
  const first = saveUserData(app, { shortcuts: ["lobby"] });
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(await first).toBe(true);
  const late = saveUserData(app, { shortcuts: [] });
  app.auth.end();
  expect(await late).toBe(false);
  timers.advance(GATHER_MS * 10);
  expect(bodies(UPDATE)).toHaveLength(1);
});

test("R-7-18: the course call sends its id and whatever else there is, to where the settings say", async () => {
  const { app, asked } = await started({
    "/Settings.json": { json: { templateApiUrl: "/back" } },
    "/back/api/academy-app/course/update": { json: { id: "7", title: "Slots" } },
  });
  const answer = await templateApiOf(app).call("updateCourse", { body: { id: 7, title: "Slots", steps: [1, 2] } });
  expect(answer).toEqual({ ok: true, data: { id: "7", title: "Slots" } });
  expect(asked.at(-1)).toMatchObject({
    method: "POST",
    body: { id: 7, title: "Slots", steps: [1, 2] },
    headers: { authorization: `Bearer ${deniz}` },
  });
});

test("a 401 of the template's back end signs nobody out; the platform's own does", async () => {
  let valid = true;
  const { app, asked, who } = await started({
    [UPDATE]: { status: 401 },
    "/v1/validate": () => (valid ? { json: {} } : { status: 401 }),
  });
  const checks = () => asked.filter(({ path }) => path === "/v1/validate").length;
  const call = () =>
    templateApiOf(app).call("updateUser", { body: { user: { uuid: "p_1", data: { shortcuts: [] } } } });
  expect(await call()).toMatchObject({ failure: { is: "unauthorised" } });
  await vi.waitFor(() => expect(checks()).toBe(2), { timeout: 15_000 });
  expect(who().is).toBe("player");
  valid = false;
  await call();
  await vi.waitFor(() => expect(who().is).toBe("guest"), { timeout: 15_000 });
});

const account = { displayName: "Selin Ak", email: "selin@example.test", password: "sunfish over the reef" };
const selin = testToken({ id: "p_9", name: "Selin Ak", email: "selin@example.test" });

test("R-7-16: a registration sends the user, keeps the token and signs in", async () => {
  const user = { uuid: "p_9", from: "longarm", role: ["user"], data: { displayName: "Selin Ak" } };
  const { app, bodies, storage, who } = await started({ [REGISTER]: { json: { user, access_token: selin } } }, null);
  expect(await registerWith(app)(account)).toBeUndefined();
  expect(bodies(REGISTER)).toEqual([account]);
  expect(storage.all.get("jwt_access_token")).toBe(selin);
  expect(who()).toMatchObject({ is: "player", roles: ["user"], player: { id: "p_9", displayName: "Selin Ak" } });
});

test("acceptance, R-7-16: all three fields beside each other, the error null, are a good answer", async () => {
  const user = { uuid: "p_9", from: "longarm", role: ["user"], data: { displayName: "Selin Ak" } };
  const { app, who } = await started({ [REGISTER]: { json: { user, access_token: selin, error: null } } }, null);
  expect(await registerWith(app)(account)).toBeUndefined();
  expect(who().is).toBe("player");
});

test.each([
  [
    "ours, in our own words",
    [{ type: "email", message: "x", reason: "taken" }],
    { email: "This e-mail address has an account already" },
  ],
  ["of a password", [{ type: "password", message: "x", reason: "short" }], { password: "Password is too short" }],
  [
    "of the name",
    [{ type: "username", message: "x", reason: "invalid" }],
    { displayName: "Your name contains characters that cannot be used" },
  ],
  ["an operator's own words", [{ type: "email", message: "Unknown host" }], { email: "Unknown host" }],
  ["of no field of the form", [{ type: "age", message: "Too young" }], { form: "Too young" }],
])("R-7-16: errors are shown on their fields: %s", async (_what, error, shown) => {
  const { app, who } = await started({ [REGISTER]: { json: { error } } }, null);
  expect(await registerWith(app)(account)).toEqual(shown);
  expect(who().is).toBe("guest");
});

test("R-7-16: a closed venue, no network and an empty answer are said above the form", async () => {
  let answer: { status?: number; json: object } = { status: 403, json: { code: 60070, ErrorMessage: "closed" } };
  const { app } = await started({ [REGISTER]: () => answer }, null);
  expect(await registerWith(app)(account)).toEqual({ form: "The casino opens accounts itself. Please ask its staff." });
  answer = { json: {} };
  expect(await registerWith(app)(account)).toEqual({ form: expect.stringMatching(/try again/i) });
  const away = await started({}, null);
  expect(await registerWith(away.app)(account)).toEqual({ form: expect.stringMatching(/network error/i) });
});

test("who is signed in opens no other account", async () => {
  const { app, bodies } = await started({ [REGISTER]: { json: { access_token: selin } } });
  expect(await registerWith(app)(account)).toEqual({ form: expect.stringContaining("Log out") });
  expect(bodies(REGISTER)).toEqual([]);
});
