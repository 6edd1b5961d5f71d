import { describe, expect, test } from "vitest";
import { ACCESS, detourOf, mayEnter, safePath } from "./guard.ts";

describe("mayEnter", () => {
  test.each([
    ["R-2.2-04: a null list is open to guests", ACCESS.everybody, [], true],
    ["R-2.2-04: and to players", ACCESS.everybody, ["user"], true],
    ["R-2.2-05: a shared entry lets in", ACCESS.players, ["user"], true],
    ["R-6-02: the admins' list keeps a user out", ["admin"], ["user"], false],
    ["R-6-03: the staff's list keeps a user out", ["admin", "staff"], ["user"], false],
    ["R-2.2-06: an empty list is for guests", ACCESS.guests, [], true],
    ["R-2.2-06: and not for players", ACCESS.guests, ["user"], false],
    ["R-2.2-01: a guest stays out of a players' page", ACCESS.players, [], false],
  ] as const)("%s", (_, access, roles, may) => {
    expect(mayEnter(access, roles)).toBe(may);
  });
});

describe("detourOf", () => {
  test("R-2.2-02: a guest goes to the login and the path is remembered with its query", () => {
    expect(detourOf(ACCESS.players, [], "/lobby/7/Nar?x=1", undefined)).toEqual({
      to: "/login",
      remember: "/lobby/7/Nar?x=1",
    });
  });
  test("R-2.2-03: a player on a guests' page goes to the remembered path, else to the start", () => {
    expect(detourOf(ACCESS.guests, ["user"], "/login", "/game/3/Nar")).toEqual({ to: "/game/3/Nar" });
    expect(detourOf(ACCESS.guests, ["user"], "/login", undefined)).toEqual({ to: "/" });
  });
  test("D-06: a player without the role is never sent back into the refused page", () => {
    expect(detourOf(["admin"], ["user"], "/staff", "/staff")).toEqual({ to: "/" });
  });
});

describe("safePath", () => {
  test.each([
    ["/lobby?page=2#top", "/lobby?page=2#top"],
    ["/logout", "/"],
    ["/logout/", "/"],
    ["/login?x=1", "/"],
    ["//evil.example/x", "/"],
    ["/\\evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["lobby", "/"],
    ["", "/"],
  ])("%s becomes %s", (path, safe) => {
    expect(safePath(path)).toBe(safe);
  });
});
