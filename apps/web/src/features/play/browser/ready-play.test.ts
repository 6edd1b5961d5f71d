import type { IceServer } from "@longarm/contract/ice-server";
import type { FrameSocket } from "@longarm/link/socket";
import { expect, test } from "vitest";
import type { OpenRtc, RtcConnection, RtcEvents } from "../state/media/rtc-port.ts";
import { ReadyPlay } from "./ready-play.ts";

const nothing = (): void => undefined;
const at = (machineId: string, playerId = "p_1") => ({ machineId, playerId });

/** Everything that is opened, with what became of it. */
function opened() {
  const timers: (() => void)[] = [];
  const said: string[] = [];
  const reports: RtcEvents[] = [];
  let count = 0;
  const openRtc: OpenRtc = (_servers, events) => {
    count += 1;
    const name = `rtc ${count}`;
    said.push(`${name} opened`);
    reports.push(events);
    let offers = 0;
    return {
      streams: { video: undefined, audio: undefined, room: undefined },
      async offer() {
        offers += 1;
        return `${name}, offer ${offers}`;
      },
      want: () => false,
      accept: async () => undefined,
      addCandidate: nothing,
      setIceServers: nothing,
      send: () => false,
      stats: async () => undefined,
      close: () => void said.push(`${name} closed`),
    } satisfies RtcConnection;
  };
  const openSocket = (name: string) => async (): Promise<FrameSocket> => {
    said.push(`${name} opened`);
    return { send: nothing, close: () => void said.push(`${name} closed`), waitingBytes: () => 0, listen: nothing };
  };
  const ready = new ReadyPlay({
    after(_ms, run) {
      timers.push(run);
      return nothing;
    },
  });
  const passTime = () => {
    for (const run of timers.splice(0)) run();
  };
  return { ready, said, reports, openRtc, openSocket, passTime };
}

const listening = (received: string[]): RtcEvents => ({
  candidate: ({ candidate }) => void received.push(`candidate ${candidate}`),
  state: (state) => void received.push(state),
  channelOpen: nothing,
  channelFrame: nothing,
  streams: nothing,
});

test("however many cards are pointed at, one connection is ready, and one play session gets it with its offer", async () => {
  const { ready, said, reports, openRtc, openSocket } = opened();
  for (let card = 0; card < 20; card += 1) ready.prepareRtc(openRtc, []);
  reports[0]?.candidate({ candidate: "early", sdpMid: "0" });
  const received: string[] = [];
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("socket"), openRtc });
  const taken = play.openRtc([], listening(received), false);
  reports[0]?.state("connecting");
  expect(received).toEqual(["candidate early", "connecting"]);
  taken.want({ machine: true, room: false });
  expect(await taken.offer(false)).toBe("rtc 1, offer 1");
  expect(await taken.offer(true), "a restart is made anew").toBe("rtc 1, offer 2");
  expect(await play.openRtc([], listening([]), false).offer(false), "so is the next").toBe("rtc 2, offer 1");
  expect(said).toEqual(["rtc 1 opened", "rtc 2 opened"]);
});

test.each<[string, readonly IceServer[], boolean, boolean]>([
  ["other servers", [{ urls: "stun:a" }], false, false],
  ["a relay only", [], true, false],
  ["a media server", [], false, true],
])(
  "what does not fit is closed, and never there beside the one that is used: %s",
  async (_, servers, relayOnly, plain) => {
    const { ready, said, openRtc, openSocket } = opened();
    ready.prepareRtc(openRtc, []);
    const play = ready.openers(at("ege-01"), { openSocket: openSocket("socket"), openRtc });
    expect(await play.openRtc(servers, listening([]), relayOnly, plain).offer(false)).toBe("rtc 2, offer 1");
    expect(said).toEqual(["rtc 1 opened", "rtc 1 closed", "rtc 2 opened"]);
  },
);

test("an offer with the room is made anew: it is in no offer that was made before", async () => {
  const { ready, openRtc, openSocket } = opened();
  ready.prepareRtc(openRtc, []);
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("socket"), openRtc });
  const roomy = play.openRtc([], listening([]), false);
  roomy.want({ machine: true, room: true });
  expect(await roomy.offer(false)).toBe("rtc 1, offer 2");
});

test("a connection with other servers takes the place of the one that is ready", () => {
  const { ready, said, openRtc } = opened();
  ready.prepareRtc(openRtc, []);
  ready.prepareRtc(openRtc, [{ urls: "stun:a" }]);
  expect(said).toEqual(["rtc 1 opened", "rtc 1 closed", "rtc 2 opened"]);
});

test("a player who signs out leaves neither connection nor socket", async () => {
  const { ready, said, openRtc, openSocket } = opened();
  ready.prepareRtc(openRtc, []);
  ready.prepareSocket(at("ege-01"), openSocket("socket"));
  ready.close();
  await expect.poll(() => said.slice(2)).toEqual(["rtc 1 closed", "socket closed"]);
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("own"), openRtc });
  await play.openSocket();
  play.openRtc([], listening([]), false);
  expect(said.slice(4)).toEqual(["own opened", "rtc 2 opened"]);
});

test("a connection or a socket that could not be made is reported where it is taken", async () => {
  const { ready, openRtc, openSocket } = opened();
  ready.prepareRtc((...given) => ({ ...openRtc(...given), offer: () => Promise.reject(new Error("no offer")) }), []);
  ready.prepareSocket(at("ege-01"), () => Promise.reject(new Error("no socket")));
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("own"), openRtc });
  await expect(play.openSocket()).rejects.toThrow("no socket");
  await expect(play.openRtc([], listening([]), false).offer(false)).rejects.toThrow("no offer");
});

test("what is not taken is closed after some seconds, and what was taken is not", async () => {
  const { ready, said, openRtc, openSocket, passTime } = opened();
  ready.prepareRtc(openRtc, []);
  ready.prepareSocket(at("ege-01"), openSocket("first"));
  passTime();
  await expect.poll(() => said.slice(2)).toEqual(["rtc 1 closed", "first closed"]);
  ready.prepareRtc(openRtc, []);
  ready.prepareSocket(at("ege-01"), openSocket("second"));
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("third"), openRtc });
  play.openRtc([], listening([]), false);
  await play.openSocket();
  passTime();
  await play.openSocket();
  expect(said.slice(4)).toEqual(["rtc 2 opened", "second opened", "third opened"]);
});

test("beside a play session that is open nothing is made ready, and again once it has ended", () => {
  const { ready, said, openRtc, openSocket } = opened();
  const play = ready.openers(at("ege-01"), { openSocket: openSocket("own"), openRtc });
  ready.prepareRtc(openRtc, []);
  ready.prepareSocket(at("ege-01"), openSocket("late"));
  expect(said).toEqual([]);
  play.ended();
  ready.prepareSocket(at("ege-01"), openSocket("next"));
  expect(said).toEqual(["next opened"]);
});

test("another player's socket is closed and not used", async () => {
  const { ready, said, openRtc, openSocket } = opened();
  ready.prepareSocket(at("ege-01"), openSocket("one"));
  await ready.openers(at("ege-01", "p_2"), { openSocket: openSocket("two"), openRtc }).openSocket();
  await expect.poll(() => said).toEqual(["one opened", "two opened", "one closed"]);
});

test("another machine's socket is closed: for the one that was chosen last, and by the play session elsewhere", async () => {
  const { ready, said, openRtc, openSocket } = opened();
  ready.prepareSocket(at("ege-01"), openSocket("one"));
  ready.prepareSocket(at("ege-01"), openSocket("one again"));
  ready.prepareSocket(at("ege-02"), openSocket("two"));
  await expect.poll(() => said).toEqual(["one opened", "two opened", "one closed"]);
  await ready.openers(at("ege-03"), { openSocket: openSocket("three"), openRtc }).openSocket();
  await expect.poll(() => said.slice(3)).toEqual(["three opened", "two closed"]);
});
