import type { Candidate } from "@longarm/contract/game-socket";
import type { ChannelName, MediaPath, OpenRtc, RtcEvents, RtcStats, RtcStreams } from "../media/rtc-port.ts";
import { NO_PATH } from "../media/rtc-port.ts";
import type { Wanted } from "../media/wanted-video.ts";

/** One connection that a test moves by hand. */
export type FakeConnection = {
  readonly events: RtcEvents;
  readonly offers: boolean[];
  readonly accepted: string[];
  readonly candidates: Candidate[];
  readonly sent: { name: ChannelName; frame: string }[];
  readonly servers: unknown[];
  /** What was wanted last. */
  wants?: Wanted;
  bytes: number;
  /** Video flows by itself; false: only with `bytes`. */
  flowing: boolean;
  readonly relayOnly: boolean;
  /** Without data channels. */
  readonly plain: boolean;
  path: MediaPath;
  streams: RtcStreams;
  open: boolean;
  closed: boolean;
};

/** Connections as the browser would make them; `made` keeps every one. `flowing`: what the next ones begin with. */
export function fakeRtc(): { readonly open: OpenRtc; readonly made: FakeConnection[]; flowing: boolean } {
  const made: FakeConnection[] = [];
  const rtc = { made, flowing: true };
  const open: OpenRtc = (servers, events, relayOnly, plain = false) => {
    const me: FakeConnection = {
      events,
      offers: [],
      accepted: [],
      candidates: [],
      sent: [],
      servers: [servers],
      bytes: 0,
      flowing: rtc.flowing,
      relayOnly,
      plain,
      path: NO_PATH,
      streams: { video: undefined, audio: undefined, room: undefined },
      open: false,
      closed: false,
    };
    const number = made.push(me);
    const stats = (): RtcStats => {
      if (me.flowing) me.bytes += 1_000;
      return counted();
    };
    const counted = (): RtcStats => ({
      videoBytes: me.bytes,
      linkBytes: me.bytes,
      packetsReceived: me.bytes,
      packetsLost: 0,
      framesDecoded: me.bytes,
      roundTripMs: 10,
      jitterBufferMs: 1,
      jitterMs: 0,
      framesDropped: 0,
      decodeMs: 1,
      path: me.path,
    });
    return {
      get streams() {
        return me.streams;
      },
      want(wanted) {
        const { wants } = me;
        me.wants = wanted;
        return wants !== undefined && JSON.stringify(wants) !== JSON.stringify(wanted);
      },
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
  return Object.assign(rtc, { open });
}
