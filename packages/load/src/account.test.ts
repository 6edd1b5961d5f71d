import { afterEach, expect, test, vi } from "vitest";
import { signIn } from "./account.ts";
import type { Venue } from "./venue.ts";

afterEach(() => void vi.restoreAllMocks());

/** A venue whose player has so many play sessions, the newest first. */
function withSessions(ids: readonly string[]): string[] {
  const queries: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL(String(input));
    if (pathname.endsWith("login")) return Response.json({ token: "t", id: "p_1" });
    queries.push(searchParams.toString());
    const from = ids.indexOf(searchParams.get("after") ?? "") + 1;
    const rows = ids.slice(from, from + Number(searchParams.get("limit")));
    const next = from + rows.length < ids.length ? rows.at(-1) : null;
    const row = { machine: "Nar", machineId: "nar-01", start: "", end: null, duration: 0, spin_count: 0 };
    return Response.json({
      rows: rows.map((id) => ({ ...row, id, free_spin_count: 0, amount: Number(id) })),
      total: ids.length,
      next,
    });
  });
  return queries;
}

const venue = { api: "http://127.0.0.1:1/v1/", siteId: "1" } as Venue;
const account = { username: "ayla", password: "secret" };

test("the play sessions of a run are read page by page back to the last one before it", async () => {
  const ids = Array.from({ length: 1_703 }, (_, index) => String(1_703 - index));
  const queries = withSessions(ids);
  const me = await signIn(venue, account);
  expect(await me.latestSession()).toBe("1703");
  expect((await me.sessionsAfter("402")).map(({ net }) => net)).toEqual(ids.slice(0, 1_301).map(Number));
  expect(queries).toEqual(["limit=1", "limit=500", "limit=500&after=1204", "limit=500&after=704"]);
});

test("a player who had never played has all sessions from the run", async () => {
  withSessions([]);
  const me = await signIn(venue, account);
  expect(await me.latestSession()).toBeNull();
  withSessions(["2", "1"]);
  expect(await me.sessionsAfter(null)).toEqual([
    { id: "2", net: 2 },
    { id: "1", net: 1 },
  ]);
});
