import type { Broadcast } from "../media/broadcast.ts";
import type { BroadcastViewer, ViewerRequest } from "../media/viewer/viewer.ts";
import { OfferProblem } from "../ports/transport.ts";

export type FakeViewer = { request: ViewerRequest; candidates: string[]; offers: string[]; closed: boolean };

/** A broadcast without media. An offer of "bad…" is refused; one of "new…" cannot be a restart; "slow…" waits for `go`. */
export type FakeBroadcast = Broadcast & { readonly joined: FakeViewer[]; go(): void; ended: boolean };

export function fakeBroadcast(): FakeBroadcast {
  const joined: FakeViewer[] = [];
  const waiting: (() => void)[] = [];

  function viewerOf(fake: FakeViewer): BroadcastViewer {
    const { viewerId, role } = fake.request;
    const stats = {
      bitrate: 0,
      sentBps: 0,
      queueMs: null,
      roundTripMs: null,
      lossFraction: 0,
      frames: 0,
      held: 0,
      repeated: 0,
      protects: false,
    };
    return {
      viewerId,
      role,
      addCandidate: ({ candidate }) => void fake.candidates.push(candidate),
      renegotiate: async (sdp) => {
        if (/^(bad|new)/.test(sdp)) throw new OfferProblem("This offer is not a restart.");
        fake.offers.push(sdp);
        return `answer to ${sdp}`;
      },
      sendPress: () => true,
      stats: () => stats,
      close: async () => {
        fake.closed = true;
      },
    };
  }

  const broadcast: FakeBroadcast = {
    joined,
    ended: false,
    go: () => {
      for (const run of waiting.splice(0)) run();
    },
    addViewer: async (request) => {
      if (request.sdp.startsWith("slow")) await new Promise<void>((run) => waiting.push(run));
      if (request.sdp.startsWith("bad")) throw new OfferProblem("The offer has no video.");
      const fake: FakeViewer = { request, candidates: [], offers: [request.sdp], closed: false };
      joined.push(fake);
      return { sdp: `answer to ${request.sdp}`, viewer: viewerOf(fake) };
    },
    viewers: () => joined.filter(({ closed }) => !closed).map(viewerOf),
    requestKeyFrame: () => undefined,
    still: async () => Buffer.from("RIFF....WEBP"),
    stats: () => [],
    picturedAt: () => undefined,
    roomStats: () => [],
    record: async () => undefined,
    gameBegan: () => undefined,
    close: async () => {
      broadcast.ended = true;
    },
  };
  return broadcast;
}
