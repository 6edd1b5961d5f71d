import { CHANNEL_OPTIONS, CLOCK_CHANNEL, PRESS_CHANNEL } from "@longarm/contract/data-channel";
import type { IceServer } from "@longarm/contract/ice-server";
import type { ChannelName, OpenRtc, RtcConnection, RtcEvents, RtcState, RtcStats } from "../state/picture/rtc-port.ts";
import { receivePictures } from "./pictures.ts";
import { readStats } from "./rtc-stats.ts";

const CHANNELS = { press: PRESS_CHANNEL, clock: CLOCK_CHANNEL } as const satisfies Record<ChannelName, string>;

/**
 * Opens one of the browser's connections: video and audio to receive, and both data channels. `withRoom`: with a second video, for the
 * room camera.
 */
export function openBrowserRtc(
  withRoom: boolean,
  ...[iceServers, events, relayOnly]: Parameters<OpenRtc>
): RtcConnection {
  const pc = new RTCPeerConnection({ ...wayOf(iceServers, relayOnly), bundlePolicy: "max-bundle" });
  const pictures = receivePictures(pc, withRoom);
  const channels: Record<ChannelName, RTCDataChannel> = {
    press: openChannel(pc, "press", events),
    clock: openChannel(pc, "clock", events),
  };
  let before: RtcStats | undefined;
  pc.onicecandidate = ({ candidate }) =>
    events.candidate({ candidate: candidate?.candidate ?? null, sdpMid: candidate?.sdpMid ?? null });
  pc.onconnectionstatechange = () => {
    const state = STATES[pc.connectionState];
    if (state !== undefined) events.state(state);
  };
  return {
    streams: pictures.streams,
    want: pictures.want,
    async offer(restart) {
      await pc.setLocalDescription(await pc.createOffer({ iceRestart: restart }));
      pictures.offered();
      return pc.localDescription?.sdp ?? "";
    },
    async accept(sdp) {
      await pc.setRemoteDescription({ type: "answer", sdp });
      pictures.answered();
    },
    addCandidate({ candidate, sdpMid }) {
      // A candidate that does not fit is one way less, not an end.
      if (candidate !== null) pc.addIceCandidate({ candidate, sdpMid: sdpMid ?? "0" }).catch(() => {});
    },
    setIceServers: (servers, relay) => pc.setConfiguration({ ...pc.getConfiguration(), ...wayOf(servers, relay) }),
    send(name, frame) {
      if (channels[name].readyState !== "open") return false;
      channels[name].send(frame);
      return true;
    },
    async stats() {
      if (pc.connectionState === "closed") return undefined;
      before = readStats(await pc.getStats(), before);
      return before;
    },
    close: () => pc.close(),
  };
}

const STATES: Partial<Record<RTCPeerConnectionState, RtcState>> = {
  connecting: "connecting",
  connected: "connected",
  disconnected: "interrupted",
  failed: "failed",
};

function openChannel(pc: RTCPeerConnection, name: ChannelName, events: RtcEvents): RTCDataChannel {
  const channel = pc.createDataChannel(CHANNELS[name], CHANNEL_OPTIONS);
  channel.binaryType = "arraybuffer";
  channel.onopen = () => events.channelOpen(name);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "string") events.channelFrame(name, data);
    else if (data instanceof ArrayBuffer) events.channelFrame(name, new TextDecoder().decode(data));
  };
  return channel;
}

/** Which servers, and whether only through them. */
export function wayOf(servers: readonly IceServer[], relayOnly: boolean): RTCConfiguration {
  return { iceServers: serversOf(servers), iceTransportPolicy: relayOnly ? "relay" : "all" };
}

/** A browser opens no connection at all when one of them is no address of a server: that one is left out. */
function serversOf(servers: readonly IceServer[]): RTCIceServer[] {
  return servers.flatMap(({ urls, username, credential }) => {
    const good = [urls].flat().filter((url) => /^(stun|turn)s?:[^\s/]+$/.test(url));
    if (good.length === 0) return [];
    return { urls: good, ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) };
  });
}
