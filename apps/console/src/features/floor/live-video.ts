import { CLOSE } from "@longarm/contract/envelope";
import type { IceServer } from "@longarm/contract/ice-server";
import { STAFF_VIDEO_PATH, staffVideo } from "@longarm/contract/staff-video";
import type { Refusal } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { configurationOf, preferred } from "@longarm/link/receive-media";
import type { FrameSocket, Stop, Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";

/** Why no video comes. `yours`, `full`: a limit; `away`: the machine or its agent; `none`: the agent has no video for it; `notAllowed`: the role. */
export type NoVideo = "yours" | "full" | "away" | "none" | "notAllowed";

/** What the page of a machine shows of its video. `stalled`: a picture was there, and no new frame comes. */
export type VideoState =
  | { readonly is: "connecting" }
  | { readonly is: "live" | "stalled"; readonly stream: MediaStream; readonly frames: number | null }
  | { readonly is: "none"; readonly why: NoVideo };

/** The part of a peer connection that a video needs; `openBrowserReceiver` makes the browser's. */
export type Receiver = {
  offer(): Promise<string>;
  accept(sdp: string): Promise<void>;
  addCandidate(candidate: { readonly candidate: string | null; readonly sdpMid?: string | null | undefined }): void;
  /** Frames decoded so far. */
  frames(): Promise<number>;
  close(): void;
};
export type ReceiverEvents = {
  stream(stream: MediaStream): void;
  candidate(candidate: { readonly candidate: string | null; readonly sdpMid: string | null }): void;
  failed(): void;
};

export type VideoDeps = {
  readonly machineId: string;
  /** `wss://…` of the console's own host. */
  readonly origin: string;
  readonly timers: Timers;
  readonly random: () => number;
  readonly openSocket: (url: string) => Promise<FrameSocket>;
  readonly openReceiver: (iceServers: readonly IceServer[], events: ReceiverEvents) => Receiver;
};

/** The frames are counted this often, ms. */
const LOOK_MS = 1_000;
/** Looks without a new frame: then the picture is old, and later the connection is made anew. */
const STALLED_LOOKS = 3;
const RENEWED_LOOKS = 15;
/** After a refusal it is tried again, at most this far apart, ms: a place may be free, an agent back. */
const AGAIN_MS_MAX = 10_000;

/**
 * Live video of one machine for as long as somebody looks at it: `stop` ends the socket, and with it the viewer at the agent. It connects again by
 * itself after every loss.
 */
export function watchMachine(deps: VideoDeps): { readonly state: Live<VideoState>; stop(): void } {
  const state = createStore<VideoState>(() => ({ is: "connecting" }));
  let endSession = (): void => {};
  const link = stayConnected({
    open: () => deps.openSocket(`${deps.origin}${STAFF_VIDEO_PATH}?machine=${encodeURIComponent(deps.machineId)}`),
    timers: deps.timers,
    random: deps.random,
    backOffMsMax: AGAIN_MS_MAX,
    onState(now) {
      if (now.is === "ended" && now.code === CLOSE.final) state.setState({ is: "none", why: "notAllowed" }, true);
      // The platform was not reached, or does not let this person in: the page itself says which.
      if (now.is === "waiting" && state.getState().is !== "none") state.setState({ is: "connecting" }, true);
    },
    session(socket, lost) {
      endSession = runSession(deps, socket, state, (code, reason) => {
        endSession();
        lost(code, reason);
      });
    },
  });
  return {
    state,
    stop() {
      link.stop();
      endSession();
    },
  };
}

type Store = Live<VideoState> & { setState(state: VideoState, replace: true): void };

/** One connection, from its socket to its end. Answers how to end it. */
function runSession(
  { timers, openReceiver }: VideoDeps,
  socket: FrameSocket,
  state: Store,
  closed: (code: number, reason: string) => void,
): () => void {
  let receiver: Receiver | undefined;
  let isAnswered = false;
  const early: Parameters<Receiver["addCandidate"]>[0][] = [];
  const looks = createLooks(timers, state, () => peer.close(CLOSE.later, "no frames"));
  const peer: Peer<typeof staffVideo, "client"> = createPeer({
    contract: staffVideo,
    end: "client",
    socket,
    timers,
    handlers: {},
    listeners: {
      candidate(candidate) {
        if (isAnswered) receiver?.addCandidate(candidate);
        else early.push(candidate);
      },
    },
    onClose: closed,
    log: () => {},
  });

  async function begin(): Promise<void> {
    const begun = await peer.request("begin", {});
    if (begun.is !== "done" || peer.closed) return peer.close(CLOSE.later, "no answer");
    const opened = openReceiver(begun.data.iceServers, {
      stream: (stream) => looks.follow(opened, stream),
      candidate: (candidate) => peer.notify("candidate", candidate),
      failed: () => peer.close(CLOSE.later, "no connection"),
    });
    receiver = opened;
    const answer = await peer.request("offer", { sdp: await opened.offer() });
    if (peer.closed) return;
    if (answer.is === "done") {
      await opened.accept(answer.data.sdp);
      isAnswered = true;
      for (const candidate of early.splice(0)) opened.addCandidate(candidate);
      return;
    }
    if (answer.is === "refused") state.setState({ is: "none", why: whyNot(answer.refusal) }, true);
    peer.close(CLOSE.later, "no video");
  }
  void begin().catch(() => peer.close(CLOSE.later, "no offer"));

  return () => {
    looks.stop();
    receiver?.close();
  };
}

/** Counts frames once a second and says what is shown of them; `renew` is called when none come for long. */
function createLooks(timers: Timers, state: Store, renew: () => void) {
  let followed: { readonly receiver: Receiver; readonly stream: MediaStream } | undefined;
  let before = 0;
  let still = 0;
  let isOver = false;
  let stopTimer: Stop = () => {};

  async function look(): Promise<void> {
    if (followed === undefined) return;
    const { receiver, stream } = followed;
    const now = await receiver.frames();
    const more = now - before;
    before = now;
    still = more > 0 ? 0 : still + 1;
    if (isOver) return;
    if (more > 0) state.setState({ is: "live", stream, frames: more }, true);
    else if (still >= STALLED_LOOKS && state.getState().is === "live")
      state.setState({ is: "stalled", stream, frames: null }, true);
    if (still >= RENEWED_LOOKS) renew();
  }
  function lookLater(): void {
    if (isOver) return;
    stopTimer = timers.after(LOOK_MS, () => {
      void look()
        .catch(() => undefined)
        .finally(lookLater);
    });
  }
  lookLater();

  return {
    follow(receiver: Receiver, stream: MediaStream): void {
      followed = { receiver, stream };
    },
    stop(): void {
      isOver = true;
      stopTimer();
    },
  };
}

function whyNot({ name }: Refusal): NoVideo {
  if (name === "spectators.yours") return "yours";
  if (name === "spectators.full") return "full";
  return name === "pipeline.failed" ? "none" : "away";
}

/** The browser's connection, which receives a machine's video and nothing else: no sound, no channel that could press. */
export function openBrowserReceiver(iceServers: readonly IceServer[], events: ReceiverEvents): Receiver {
  const pc = new RTCPeerConnection({ ...configurationOf(iceServers, false), bundlePolicy: "max-bundle" });
  const transceiver = pc.addTransceiver("video", { direction: "recvonly" });
  const wanted = preferred("video", RTCRtpReceiver.getCapabilities("video")?.codecs ?? []);
  if (wanted.length > 0) transceiver.setCodecPreferences(wanted);
  pc.ontrack = ({ track }) => events.stream(new MediaStream([track]));
  pc.onicecandidate = ({ candidate }) =>
    events.candidate({ candidate: candidate?.candidate ?? null, sdpMid: candidate?.sdpMid ?? null });
  pc.onconnectionstatechange = () => {
    if (pc.connectionState === "failed") events.failed();
  };
  return {
    async offer() {
      await pc.setLocalDescription(await pc.createOffer());
      return pc.localDescription?.sdp ?? "";
    },
    accept: (sdp) => pc.setRemoteDescription({ type: "answer", sdp }),
    addCandidate({ candidate, sdpMid }) {
      // One that does not fit is ignored: others may work.
      if (candidate !== null) pc.addIceCandidate({ candidate, sdpMid: sdpMid ?? "0" }).catch(() => {});
    },
    async frames() {
      let frames = 0;
      for (const entry of (await pc.getStats()).values() as Iterable<Record<string, unknown>>)
        if (entry["type"] === "inbound-rtp" && typeof entry["framesDecoded"] === "number")
          frames = Math.max(frames, entry["framesDecoded"]);
      return frames;
    },
    close: () => pc.close(),
  };
}
