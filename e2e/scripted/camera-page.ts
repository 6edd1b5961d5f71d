import type { Browser, Page } from "playwright-core";

/** Called with each message of the page's data channels; returns the answer to send, or undefined for none. */
export type ChannelListener = (name: string, frame: string) => Promise<string | undefined>;

/** Where the pictures of the game stage come from: a second page of the same Chromium that paints and sends them. */
export type Camera = {
  readonly page: Page;
  /** Answers an offer of the page; one of a known connection continues that connection. */
  answer(sdp: string): Promise<string>;
  candidate(candidate: unknown): Promise<void>;
  /** No picture and no sound is sent while true; the connections stay open. */
  hush(hushed: boolean): Promise<void>;
  /** Closes every connection, as an agent that dies does. */
  cut(): Promise<void>;
  /** For each connection it has, oldest first: its state, and what it sends in the order of the offer. */
  connections(): Promise<{ state: string; sends: string[] }[]>;
  /** What the newest connection has encoded and sent, for the message of a failed test. */
  sent(): Promise<object[]>;
  /** Says something on a channel of the newest connection. */
  say(name: string, frame: string): Promise<void>;
};

export type CameraOptions = {
  /** The machine has a room camera: a second video of the offer is answered with it. */
  readonly room: () => boolean;
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly onFrame: ChannelListener;
};

type Link = { peer: RTCPeerConnection; senders: RTCRtpSender[]; tracks: (MediaStreamTrack | null)[] };
type Studio = {
  links: Map<string, Link>;
  channels: Map<string, RTCDataChannel>;
  /** Connections that are made now send nothing either. */
  hushed: boolean;
  answer(sdp: string, room: boolean): Promise<string>;
};
type Tracks = Readonly<Record<"machine" | "room" | "sound", MediaStreamTrack | null>>;
/** When the machine's last picture was taken, for the answers to the page's clock. */
type PictureClock = { stamp(sender: RTCRtpSender, machine: boolean): void; answer(ask: string): string };
type Holder = { studio: Studio; tracks: Tracks; clock: PictureClock; onFrame: ChannelListener };

/** Blank, on the back end's own origin: a page that may use a camera shows its real address, so that 127.0.0.1 is enough. */
export async function openCamera(browser: Browser, origin: string, options: CameraOptions): Promise<Camera> {
  const context = await browser.newContext({ permissions: ["camera", "microphone"] });
  const page = await context.newPage();
  const blank = { contentType: "text/html", body: "<!doctype html><title>Camera</title><body>" };
  await page.route(`${origin}/camera-of-the-stage`, (route) => route.fulfill(blank));
  await page.goto(`${origin}/camera-of-the-stage`);
  await page.exposeFunction("onFrame", options.onFrame);
  // Sound is made only after a gesture.
  await page.mouse.click(5, 5);
  const { room, width, height, framesPerSecond } = options;
  await page.evaluate(makeTracks, { width, height, framesPerSecond });
  await page.evaluate(makeClock);
  await page.evaluate(buildStudio);
  return {
    page,
    answer: (sdp) =>
      page.evaluate(([offer, withRoom]) => (globalThis as unknown as Holder).studio.answer(offer, withRoom), [
        sdp,
        room(),
      ] as const),
    candidate: (candidate) =>
      page.evaluate((given) => {
        const newest = [...(globalThis as unknown as Holder).studio.links.values()].at(-1);
        // A name that this page cannot look up is one way less.
        newest?.peer.addIceCandidate(given as RTCIceCandidateInit).catch(() => {});
      }, candidate),
    hush: (hushed) =>
      page.evaluate(async (quiet) => {
        (globalThis as unknown as Holder).studio.hushed = quiet;
        for (const { senders, tracks } of (globalThis as unknown as Holder).studio.links.values())
          for (const [index, sender] of senders.entries())
            await sender.replaceTrack(quiet ? null : (tracks[index] ?? null));
      }, hushed),
    cut: () =>
      page.evaluate(() => {
        for (const { peer } of (globalThis as unknown as Holder).studio.links.values()) peer.close();
      }),
    connections: () =>
      page.evaluate(() =>
        [...(globalThis as unknown as Holder).studio.links.values()].map(({ peer }) => ({
          state: peer.connectionState,
          sends: peer
            .getTransceivers()
            .map(({ sender, currentDirection }) =>
              currentDirection === "sendonly" ? (sender.track?.kind ?? "") : String(currentDirection),
            ),
        })),
      ),
    sent: () =>
      page.evaluate(async () => {
        const newest = [...(globalThis as unknown as Holder).studio.links.values()].at(-1);
        const stats = [...((await newest?.peer.getStats())?.values() ?? [])] as Record<string, unknown>[];
        const names = ["kind", "framesPerSecond", "framesEncoded", "framesSent", "frames", "keyFramesEncoded"];
        const more = ["pliCount", "packetsSent", "bytesSent", "qualityLimitationReason", "encoderImplementation"];
        return stats
          .filter(({ type }) => type === "outbound-rtp" || type === "media-source")
          .map((one) =>
            Object.fromEntries([...names, ...more].flatMap((name) => (name in one ? [[name, one[name]]] : []))),
          );
      }),
    say: (name, frame) =>
      page.evaluate(([channel, text]) => (globalThis as unknown as Holder).studio.channels.get(channel)?.send(text), [
        name,
        frame,
      ] as const),
  };
}

/** Runs in the camera page. Four coloured quarters (red, green, blue, white) with a bar that moves; the room is violet. */
function makeTracks({ width, height, framesPerSecond }: Omit<CameraOptions, "room" | "onFrame">): void {
  const sound = new AudioContext();
  const received = sound.createMediaStreamDestination();
  const tone = sound.createOscillator();
  tone.connect(received);
  tone.start();

  function paint(wide: number, high: number, colours: string[]): MediaStreamTrack | null {
    const canvas = Object.assign(document.createElement("canvas"), { width: wide, height: high });
    const pen = canvas.getContext("2d", { alpha: false });
    if (pen === null) return null;
    const draw = (): void => {
      for (const [index, colour] of colours.entries()) {
        pen.fillStyle = colour;
        pen.fillRect((wide / 2) * (index % 2), (high / 2) * Math.floor(index / 2), wide / 2, high / 2);
      }
      pen.fillStyle = "#000";
      pen.fillRect((performance.now() / 10) % wide, high / 2 - 4, 40, 8);
    };
    draw();
    setInterval(draw, 1_000 / framesPerSecond);
    return canvas.captureStream(framesPerSecond).getVideoTracks()[0] ?? null;
  }

  const tracks: Tracks = {
    machine: paint(width, height, ["#c22", "#2a2", "#22c", "#ccc"]),
    room: paint(320, 180, ["#828", "#818", "#717", "#929"]),
    sound: received.stream.getAudioTracks()[0] ?? null,
  };
  Object.assign(globalThis, { tracks });
}

/** Runs in the camera page: the answers on the clock channel. */
function makeClock(): void {
  const now = (): number => performance.timeOrigin + performance.now();
  let last: { rtp: number | null; capturedAt: number | null } = { rtp: null, capturedAt: null };
  const clock: PictureClock = {
    // A sender whose frames are not read on sends none.
    stamp(sender, machine) {
      const encoded = sender as RTCRtpSender & { createEncodedStreams?(): TransformStream };
      const streams = encoded.createEncodedStreams?.();
      const stamp = new TransformStream({
        transform(frame: RTCEncodedVideoFrame, controller) {
          if (machine) last = { rtp: Number(frame.getMetadata().rtpTimestamp ?? frame.timestamp), capturedAt: now() };
          controller.enqueue(frame);
        },
      });
      void streams?.readable.pipeThrough(stamp).pipeTo(streams.writable);
    },
    answer: (ask) => JSON.stringify({ ...(JSON.parse(ask) as object), t1: now(), t2: now(), ...last }),
  };
  Object.assign(globalThis, { clock });
}

/** Runs in the camera page: answers offers with the tracks made before. */
function buildStudio(): void {
  const { tracks, clock } = globalThis as unknown as Holder;
  const studio: Studio = { links: new Map(), channels: new Map(), hushed: false, answer };
  Object.assign(globalThis, { studio });
  const answering = new Map<string, Promise<unknown>>();

  /** The same connection keeps its session id through every offer. */
  const sessionOf = (sdp: string): string => /^o=\S+ (\S+)/m.exec(sdp)?.[1] ?? "";

  // Offers of one connection are answered in their order: answering two at once makes an offer instead of an answer.
  function answer(sdp: string, room: boolean): Promise<string> {
    const next = (answering.get(sessionOf(sdp)) ?? Promise.resolve()).then(() => answerNow(sdp, room));
    const settled = next.catch(() => {});
    answering.set(sessionOf(sdp), settled);
    return next;
  }

  async function answerNow(sdp: string, room: boolean): Promise<string> {
    const known = studio.links.get(sessionOf(sdp));
    // One that is gone is made anew, as an agent does that knows the viewer no more.
    const link = known !== undefined && known.peer.signalingState !== "closed" ? known : open(sessionOf(sdp));
    const { peer } = link;
    await peer.setRemoteDescription({ type: "offer", sdp });
    for (const [index, transceiver] of peer.getTransceivers().entries()) await send(link, index, transceiver, room);
    await peer.setLocalDescription();
    await new Promise<void>((gathered) => {
      const done = (): void => void (peer.iceGatheringState === "complete" && gathered());
      peer.addEventListener("icegatheringstatechange", done);
      done();
    });
    const lines = (peer.localDescription?.sdp ?? "").split("\r\n");
    return lines.filter((line) => !line.startsWith("a=candidate:") || / 127\.0\.0\.1 /.test(line)).join("\r\n");
  }

  /** The offer's first video is the machine, its second one the room. */
  async function send(link: Link, index: number, transceiver: RTCRtpTransceiver, room: boolean): Promise<void> {
    const { kind } = transceiver.receiver.track;
    const first = !link.peer.getTransceivers().some((one, at) => at < index && one.receiver.track.kind === "video");
    const video = first ? tracks.machine : tracks.room;
    const track = kind === "audio" ? tracks.sound : video;
    transceiver.direction = track === tracks.room && !room ? "inactive" : "sendonly";
    if (transceiver.direction === "inactive" || link.senders.includes(transceiver.sender)) return;
    link.senders.push(transceiver.sender);
    link.tracks.push(track);
    // Before anything can be sent: frames are read from the first one on, or the sender refuses.
    clock.stamp(transceiver.sender, track === tracks.machine);
    await transceiver.sender.replaceTrack(studio.hushed ? null : track);
  }

  function open(session: string): Link {
    const configuration = { encodedInsertableStreams: true } as RTCConfiguration;
    const link: Link = { peer: new RTCPeerConnection(configuration), senders: [], tracks: [] };
    studio.links.set(session, link);
    link.peer.ondatachannel = ({ channel }) => {
      studio.channels.set(channel.label, channel);
      channel.binaryType = "arraybuffer";
      channel.onmessage = async ({ data }: MessageEvent<unknown>) => {
        const text = typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer);
        const said =
          channel.label === "clock"
            ? clock.answer(text)
            : await (globalThis as unknown as Holder).onFrame(channel.label, text);
        if (said !== undefined && channel.readyState === "open") channel.send(said);
      };
    };
    return link;
  }
}
