import { expect, test } from "vitest";
import { memoryStorage, testToken } from "../testing/fakes.ts";
import { createAuthSession } from "./auth-session.ts";
import { playerOf } from "./player.ts";

const claims = {
  id: "p_1",
  Group: 4,
  Permissions: [145],
  type: 1,
  name: "Deniz",
  lastname: "Aydın",
  email: "deniz@example.test",
  username: "deniz.aydin",
};
const answer = {
  ip_address: "85.104.12.7",
  versions: "2.3.4",
  last_logon: "2026-11-20T20:14:00.000Z",
  last_logon_ip: "85.104.12.9",
  pin_code: "a".repeat(64),
};
const token = testToken(claims);

test("R-1-02, R-3-01, R-6-01: a guest has no role, whoever is signed in has the one role user", () => {
  const auth = createAuthSession(memoryStorage());
  expect(auth.state.getState()).toEqual({ is: "guest", roles: [] });
  // No answer gives another role, whatever it says.
  auth.accept(testToken({ ...claims, role: ["admin"], roles: ["admin"] }), { ...answer, ...{ role: ["admin"] } });
  expect(auth.state.getState()).toMatchObject({ is: "player", roles: ["user"], player: { role: ["user"] } });
  auth.end();
  expect(auth.state.getState()).toEqual({ is: "guest", roles: [] });
});

test("R-3-06, R-3-07, R-3-08, R-3-10: the player is made of the token's fields and what the answer adds", () => {
  expect(playerOf(token, { ...answer, photoURL: "/faces/1.webp", shortcuts: ["lobby"] })).toEqual({
    id: "p_1",
    role: ["user"],
    displayName: "Deniz Aydın",
    name: "Deniz",
    lastname: "Aydın",
    username: "deniz.aydin",
    email: "deniz@example.test",
    photoURL: "/faces/1.webp",
    shortcuts: ["lobby"],
    type: "1",
    Group: "4",
    Permissions: ["145"],
    Versions: "2.3.4",
    IP: "85.104.12.7",
    LastLogon: "2026-11-20T20:14:00.000Z",
    LastLogonIP: "85.104.12.9",
    signedInAt: "",
    memberSince: "",
    claims,
    passwordChanged: "",
    passwordExpired: false,
    locked: false,
    letterWaits: false,
    disputeNews: undefined,
    limitsNewsAt: undefined,
    limitsOffered: false,
    teamChat: false,
  });
});

test("R-3-09: what a sign-in with the token answers is newer than what the token says", () => {
  const renewed = testToken({ ...claims, name: "Deniz Ece" });
  const player = playerOf(renewed, { ...answer, token: renewed, Group: 5, Permissions: [1, "145"] });
  expect(player).toMatchObject({ name: "Deniz Ece", Group: "5", Permissions: ["1", "145"], IP: "85.104.12.7" });
});

test("D-09: a token that cannot be read leaves it to the answer to say who it is", () => {
  expect(playerOf("opaque", { id: "9", name: "Elif", username: "elif.kaya", type: "vip", ...answer })).toMatchObject({
    ...{ id: "9", displayName: "Elif", username: "elif.kaya", type: "vip", claims: undefined },
  });
});

test("whatever is left out or strange is empty, and a huge name is cut", () => {
  expect(playerOf("opaque", {})).toMatchObject({
    ...{ id: "", displayName: "", Permissions: undefined, Group: undefined, type: undefined, Versions: "", IP: "" },
  });
  const strange = { Group: { a: 1 }, type: [7], versions: { platform: "0.1.0", other: {} }, last_logon: null };
  expect(playerOf("opaque", { ...strange, username: "u".repeat(100_000) })).toMatchObject({
    ...{ Group: undefined, type: undefined, Versions: "platform 0.1.0, other ?", LastLogon: "" },
    displayName: "u".repeat(200),
  });
});

test("the age of the password and the lock come with the answer", () => {
  const told = { password_changed: "2026-01-02T03:04:05Z", password_expired: true, locked: true };
  expect(playerOf(token, told)).toMatchObject({
    passwordChanged: "2026-01-02T03:04:05Z",
    ...{ passwordExpired: true, locked: true },
  });
});

test("R-3-31, R-3-32: token and PIN are stored under their keys, and both go when the session ends", () => {
  const storage = memoryStorage();
  const auth = createAuthSession(storage);
  auth.accept(token, answer);
  expect([...storage.all]).toEqual([
    ["jwt_access_token", token],
    ["pin_code", answer.pin_code],
  ]);
  auth.end();
  expect(storage.all.size).toBe(0);
});

test("the PIN stays when an answer does not speak of it, and goes when there is none any more or somebody else comes", () => {
  const storage = memoryStorage();
  const auth = createAuthSession(storage);
  const pin = () => storage.all.get("pin_code");
  auth.accept(token, answer);
  auth.accept(token, {});
  expect(pin()).toBe(answer.pin_code);
  auth.accept(token, { pin_code: "" });
  expect(pin()).toBeUndefined();
  auth.accept(token, answer);
  auth.accept(testToken({ ...claims, id: "p_2" }), {});
  expect(pin()).toBeUndefined();
  auth.accept(token, answer);
  auth.keep("from the address");
  expect(pin()).toBeUndefined();
});
