import { WALL_PATH } from "@longarm/contract/staff-wall";
import { systemTimers } from "@longarm/link/socket";
import { expect, test, vi } from "vitest";
import { followWall, tokenIn } from "./wall-feed.ts";

const wall = (more: object = {}) => ({
  display: { name: "Hall 1", group: null },
  venue: { name: "Grand Levent", timeZone: "Europe/Istanbul" },
  version: "1",
  asOf: "2026-11-26T20:00:00.000Z",
  machines: [],
  calls: [],
  callsTotal: 0,
  watching: 0,
  stops: 0,
  ...more,
});

/** A feed over a platform that answers as the test says, without waits between its rounds. */
function followed(token: string | null = null) {
  const called: string[] = [];
  let answer: () => Response = () => Response.json(wall());
  const reload = vi.fn();
  const feed = followWall({
    async fetch(input) {
      called.push(String(input));
      return answer();
    },
    timers: { after: (_ms, run) => systemTimers.after(1, run) },
    now: () => 7,
    token,
    reload,
  });
  return {
    ...feed,
    called,
    reload,
    answerWith(next: () => Response): void {
      answer = next;
    },
  };
}
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });

test("the token is exchanged once, and then the wall is read", async () => {
  const feed = followed("a-token-of-a-display");
  await until(() => expect(feed.called.length).toBeGreaterThan(3));
  expect(feed.called.slice(0, 3)).toEqual(["/staff/v1/wall/enter", WALL_PATH, WALL_PATH]);
  expect(feed.state.getState()).toMatchObject({ is: "on", at: 7, oldSince: null });
  feed.stop();
});

test("what cannot be read stays, says since when it is old, and is new again by itself", async () => {
  const feed = followed();
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on" }));
  feed.answerWith(() => {
    throw new TypeError("the network is away");
  });
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on", oldSince: 7 }));
  feed.answerWith(() => new Response("<html>restarting", { status: 502 }));
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on", wall: { callsTotal: 0 }, oldSince: 7 }));
  feed.answerWith(() => Response.json(wall({ callsTotal: 3 })));
  await until(() => expect(feed.state.getState()).toMatchObject({ wall: { callsTotal: 3 }, oldSince: null }));
  expect(feed.reload).not.toHaveBeenCalled();
  feed.stop();
});

test("a platform of another version loads the page anew, but only when it is there", async () => {
  const feed = followed();
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on" }));
  feed.answerWith(() => Response.json(wall({ version: "2" })));
  await until(() => expect(feed.reload).toHaveBeenCalled());
  feed.stop();
});

test("a display that was ended shows nothing of the floor any more, and comes back when it is admitted", async () => {
  const feed = followed();
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on" }));
  feed.answerWith(() => Response.json({ problem: "signIn.needed" }, { status: 401 }));
  await until(() => expect(feed.state.getState()).toEqual({ is: "notAdmitted" }));
  feed.answerWith(() => Response.json(wall()));
  await until(() => expect(feed.state.getState()).toMatchObject({ is: "on" }));
  feed.stop();
});

test("a token is read from behind the #, and nothing else is taken for one", () => {
  expect(tokenIn("#abcdefghijklmnopqrstuvwxyz")).toBe("abcdefghijklmnopqrstuvwxyz");
  for (const wrong of ["", "#", "#short", "#with space in the middle of it"]) expect(tokenIn(wrong)).toBeNull();
});
