import type { Candidate } from "@longarm/contract/game-socket";
import type { ChannelName, OpenRtc, RtcEvents, RtcStats } from "../picture/rtc-port.ts";

/** One connection that a test moves by hand. */
export type FakeConnection = {
  readonly events: RtcEvents;
  readonly offers: boolean[];
  readonly accepted: string[];
  readonly candidates: Candidate[];
  readonly sent: { name: ChannelName; frame: string }[];
  readonly servers: unknown[];
  bytes: number;
  open: boolean;
  closed: boolean;
};

/** Connections as the browser would make them; `made` keeps every one. */
export function fakeRtc(): { readonly open: OpenRtc; readonly made: FakeConnection[] } {
  const made: FakeConnection[] = [];
  const open: OpenRtc = (servers, events) => {
    const me: FakeConnection = {
      events,
      offers: [],
      accepted: [],
      candidates: [],
      sent: [],
      servers: [servers],
      bytes: 0,
      open: false,
      closed: false,
    };
    const number = made.push(me);
    const stats = (): RtcStats => ({
      videoBytes: me.bytes,
      packetsReceived: me.bytes,
      packetsLost: 0,
      framesDecoded: 0,
      roundTripMs: 10,
      jitterBufferMs: 1,
      decodeMs: 1,
    });
    return {
      streams: { video: undefined, audio: undefined },
      offer: (restart) => Promise.resolve(`offer ${number}.${me.offers.push(restart)}`),
      accept: (sdp) => Promise.resolve(void me.accepted.push(sdp)),
      addCandidate: (candidate) => void me.candidates.push(candidate),
      setIceServers: (next) => void me.servers.push(next),
      send: (name, frame) => me.open && me.sent.push({ name, frame }) > 0,
      stats: () => Promise.resolve(me.closed ? undefined : stats()),
      close: () => {
        me.closed = true;
        me.open = false;
      },
    };
  };
  return { open, made };
}
