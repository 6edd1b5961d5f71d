import type { Clock } from "../ports/clock.ts";
import type { SourceFormat } from "../ports/source.ts";
import type { ConnectionEvents, Transport, ViewerConnection } from "../ports/transport.ts";
import { createVideoEncoder, videoProfile } from "./encoder/video-encoder.ts";

/** A connection within one process is made in a few hundred ms; where none can be made, this is how long one is tried, ms. */
const CONNECT_MS_MAX = 3_000;
const SIZE = { width: 1280, height: 720 } as const;
const FORMAT: SourceFormat = { ...SIZE, frameRate: 30, audio: false, painted: true };

/**
 * Does once, before there is a viewer, what a first viewer waits for: makes a connection from the process to itself, by ICE and DTLS, and encodes a key
 * frame. The first connection of a process needs five times the processor time of a later one, because its code is compiled then (record 0266). What
 * fails here is left to the first viewer, whose failure is reported.
 */
export async function rehearse(transport: Transport, clock: Clock): Promise<void> {
  await Promise.allSettled([connectToItself(transport, clock), encodeOnce()]);
}

async function connectToItself(transport: Transport, clock: Clock): Promise<void> {
  const open: ViewerConnection[] = [];
  const [offering, answering] = [waiting(), waiting()];
  const late = Promise.withResolvers<void>();
  const stopClock = clock.after(CONNECT_MS_MAX, late.resolve);
  try {
    const { connection } = await transport.publish(async (sdp) => {
      const viewer = { viewerId: "the rehearsal", sdp: asReceiver(sdp), iceServers: [], complete: true };
      const answered = await transport.addViewer(viewer, answering.events);
      open.push(answered.connection);
      return { sdp: asReceiver(answered.sdp), address: addressIn(answered.sdp) };
    }, offering.events);
    open.push(connection);
    await Promise.race([Promise.all([offering.connected, answering.connected]), late.promise]);
  } finally {
    stopClock();
    await Promise.all(open.map((connection) => connection.close()));
  }
}

/** Both ends only send, so each is described to the other as one that receives. */
const asReceiver = (sdp: string): string => sdp.replaceAll("a=sendonly", "a=recvonly");

/** Our own address, which a publication may probe because it was named; undefined: there is none to connect to. */
const addressIn = (sdp: string): string | undefined => /^a=candidate:\S+ 1 udp \d+ (\S+) /im.exec(sdp)?.[1];

/** Events of one end, of which only the connection counts. */
function waiting(): { readonly events: ConnectionEvents; readonly connected: Promise<void> } {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const nothing = (): void => undefined;
  const events = { connected: () => resolve(), closed: () => resolve() };
  return {
    connected,
    events: { ...events, interrupted: nothing, rtcp: nothing, data: nothing, channelOpen: nothing, candidate: nothing },
  };
}

async function encodeOnce(): Promise<void> {
  const { bitrateStart: bitrate, frameRate, preset } = videoProfile(FORMAT);
  const encoder = await createVideoEncoder({ ...SIZE, codec: "h264", frameRate, bitrate, preset });
  try {
    const data = new Uint8Array((SIZE.width * SIZE.height * 3) / 2);
    await encoder.encode({ ...SIZE, data, capturedAtMs: 0 }, true);
  } finally {
    await encoder.close();
  }
}
