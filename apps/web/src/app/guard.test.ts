import { describe, expect, test } from "vitest";
import { mayEnter } from "../shared/auth/player.ts";
import { ACCESS, detourOf, safePath } from "./guard.ts";

describe("mayEnter", () => {
  test("R-6-02, R-6-03, R-6-04, R-6-05: the role groups are as the specification lists them", () => {
    expect(ACCESS).toEqual({
      ...{ everybody: null, admin: ["admin"], staff: ["admin", "staff"] },
      ...{ user: ["admin", "staff", "user"], onlyGuest: [] },
    });
  });
  // Who may enter, by the group of the route and the role of the visitor.
  test.each([
    ["R-2.2-04: null lets everybody in", "everybody", { guest: true, user: true, staff: true, admin: true }],
    ["R-6-02: admin", "admin", { guest: false, user: false, staff: false, admin: true }],
    ["R-6-03: staff", "staff", { guest: false, user: false, staff: true, admin: true }],
    ["R-2.2-05, R-6-04: user", "user", { guest: false, user: true, staff: true, admin: true }],
    ["R-2.2-06, R-6-05: onlyGuest", "onlyGuest", { guest: true, user: false, staff: false, admin: false }],
  ] as const)("%s", (_, group, expected) => {
    const roles = { guest: [], user: ["user"], staff: ["staff"], admin: ["admin"] } as const;
    for (const [who, may] of Object.entries(expected)) {
      expect(mayEnter(ACCESS[group], roles[who as keyof typeof roles]), who).toBe(may);
    }
  });
  test("one shared entry of several is enough", () => {
    expect(mayEnter(ACCESS.admin, ["user", "admin"])).toBe(true);
    expect(mayEnter(["staff"], ["user", "admin"])).toBe(false);
  });
});

describe("detourOf", () => {
  test("R-2.2-02: a guest goes to the login and the path is remembered with its query", () => {
    expect(detourOf(ACCESS.user, [], "/lobby/7/Nar?x=1", undefined)).toEqual({
      to: "/login",
      remember: "/lobby/7/Nar?x=1",
    });
  });
  test("R-2.2-03: a player on a guests' page goes to the remembered path, else to the start", () => {
    expect(detourOf(ACCESS.onlyGuest, ["user"], "/login", "/game/3/Nar")).toEqual({ to: "/game/3/Nar" });
    expect(detourOf(ACCESS.onlyGuest, ["user"], "/login", undefined)).toEqual({ to: "/" });
  });
  test("D-06: a player without the role is never sent back into the refused page", () => {
    expect(detourOf(["admin"], ["user"], "/staff", "/staff")).toEqual({ to: "/" });
  });
});

describe("safePath", () => {
  test.each([
    ["/lobby?page=2#top", "/lobby?page=2#top"],
    ["/lobby/7/N%20r?back=https%3A%2F%2Fevil.example", "/lobby/7/N%20r?back=https%3A%2F%2Fevil.example"],
    ["/lobby?next=//evil.example/%2e%2e", "/lobby?next=//evil.example/%2e%2e"],
    ["/lobby/1/%3Cscript%3E", "/lobby/1/%3Cscript%3E"],
    ["/a/../lobby", "/lobby"],
  ])("%s stays %s", (path, safe) => {
    expect(safePath(path)).toBe(safe);
  });
  test.each(["/logout", "/logout/", "/logout//", "/LOGOUT", "/%6Cogout", "/x/../logout", "/logout?x=1", "/logout#y"])(
    "R-2.1-23: a remembered %s becomes /",
    (path) => {
      expect(safePath(path)).toBe("/");
    },
  );
  test.each([
    ...["/login?x=1", "/callback", "lobby", ""],
    ...["//evil.example/x", "///evil.example", "/x/..//evil.example", "/.//evil.example", "/%2Fevil.example"],
    ...[
      "/\\evil.example",
      "\\\\evil.example",
      "/%5Cevil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      "/%09/evil.example",
    ],
    ...["https://evil.example/", "https:evil.example", "http:/\\evil.example", " //evil.example", "/%00", "/%E0%A4%A"],
    ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", "/\u0000javascript:alert(1)", "data:text/html,x", "blob:x"],
  ])("%j is no place to come back to: the start instead", (path) => {
    expect(safePath(path)).toBe("/");
  });
  test("whatever comes in, what comes out is a path of this page, and stays what it is", () => {
    const parts = [
      "/",
      "\\",
      "..",
      ".",
      "%2f",
      "%5c",
      "evil.example",
      ":",
      "@",
      "javascript:",
      "?",
      "#",
      " ",
      "\t",
      "lobby",
    ];
    for (const a of parts) {
      for (const b of parts) {
        for (const c of parts) {
          const safe = safePath(`/${a}${b}${c}`);
          expect(new URL(safe, "https://page.test").origin).toBe("https://page.test");
          expect(safePath(safe)).toBe(safe);
        }
      }
    }
  });
});
