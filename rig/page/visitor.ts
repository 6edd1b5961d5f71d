import type { IceServer } from "@longarm/contract/ice-server";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { findChromium } from "../../tooling/finders/find-tool.ts";
import type { TextLanguage } from "./game-page.ts";
import { keepSummaries, readSummaries } from "./game-page.ts";

/** Chromium without a graphics card, whose pages may play video at once. */
export async function launchBrowser(say: (line: string) => void): Promise<Browser> {
  const { executablePath, env, args } = await findChromium({ say });
  return await chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [...args, "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
  });
}

export type Device = {
  readonly width: number;
  readonly height: number;
  readonly touch?: boolean;
  /** True: with the page's motion, as most players have it; without it a page costs half of the processor time. Default: in the whole run. */
  readonly moves?: boolean;
  /** True: what sums up play over the lobby stays until the test closes it. */
  readonly keepsSummaries?: boolean;
};
export const DESK: Device = { width: 1440, height: 900 };
export const PHONE: Device = { width: 390, height: 844, touch: true };

/** A person with a browser of their own: nothing is shared with another one. */
export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Whatever the page wrote to its console, threw, or was forbidden by the content policy. */
  readonly complaints: string[];
};

export async function arrive(browser: Browser, device: Device, language: TextLanguage): Promise<Visitor> {
  const { width, height, touch = false, moves = WHOLE_RUN, keepsSummaries = false } = device;
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch: touch,
    isMobile: touch,
    deviceScaleFactor: WHOLE_RUN ? 1 : 0.5,
    reducedMotion: moves ? "no-preference" : "reduce",
  });
  // A busy computer is not a fault.
  context.setDefaultTimeout(120_000);
  await addInstruments(context);
  await context.addInitScript((spoken) => {
    // An empty page that is still on its way has no storage.
    if (!location.protocol.startsWith("http")) return;
    if (localStorage.getItem("longarm.language") === null) localStorage.setItem("longarm.language", spoken);
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      reportError(new Error(`The content policy forbids ${violatedDirective} ${blockedURI}`)),
    );
  }, language);
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // "Failed to load resource" leaves out which.
    const { url } = message.location();
    complaints.push(message.text().startsWith("Failed to load resource") ? `${message.text()} ${url}` : message.text());
  });
  context.on("page", (page) => void (keepsSummaries ? keepSummaries(page) : readSummaries(page)));
  context.on("weberror", (problem) => complaints.push(problem.error().message));
  return { context, page: await context.newPage(), complaints };
}

/*
 * What a test sees of a page that the page itself does not show: its connections, its sockets, the frames it was given.
 * Everything is read from the browser's own objects; the web knows nothing of it.
 */

type Instruments = { peers: RTCPeerConnection[]; sockets: WebSocket[]; audio: HTMLAudioElement[] };
type Holder = { longarmSeen: Instruments };

/** Call it before the first page of the context is opened. */
async function addInstruments(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const seen: Instruments = { peers: [], sockets: [], audio: [] };
    (globalThis as unknown as Holder).longarmSeen = seen;
    const note = <C extends new (...args: never[]) => object>(made: C, list: object[]): C =>
      new Proxy(made, {
        construct(target, args, self) {
          const one = Reflect.construct(target, args, self) as object;
          list.push(one);
          return one;
        },
      });
    globalThis.RTCPeerConnection = note(RTCPeerConnection, seen.peers);
    globalThis.WebSocket = note(WebSocket, seen.sockets);
  });
}

/** Closes the page's game socket as a network would: the page did not ask for it. */
export async function dropGameSocket(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { sockets } = (globalThis as unknown as Holder).longarmSeen;
    const open = sockets.filter(({ url, readyState }) => url.includes("/game?") && readyState === WebSocket.OPEN);
    if (open.length === 0) throw new Error("the page has no open game socket");
    for (const socket of open) socket.close();
  });
}

type MediaFacts = {
  /** Of the pair that carries the media: `udp` or `tcp`. */
  readonly protocol: string | undefined;
  /** How the page, and how the agent, is reached: `host` and its kin, or `relay` through a TURN server. */
  readonly way: string | undefined;
  readonly theirWay: string | undefined;
  /** How the page reaches its TURN server: `udp` or `tcp`. */
  readonly relayProtocol: string | undefined;
  readonly framesDecoded: number;
  readonly packetsLost: number;
  readonly audioSamples: number;
  readonly audioEnergy: number;
};

/** The browser's own counters of the connection that is connected now. */
export async function mediaFacts(page: Page): Promise<MediaFacts> {
  return await page.evaluate(async () => {
    const { peers } = (globalThis as unknown as Holder).longarmSeen;
    const peer = peers.findLast(({ connectionState }) => connectionState === "connected");
    const rows: Record<string, unknown>[] = peer === undefined ? [] : [...(await peer.getStats()).values()];
    const inbound = (kind: string) => rows.find((row) => row["type"] === "inbound-rtp" && row["kind"] === kind) ?? {};
    const pair = rows.find((row) => row["type"] === "candidate-pair" && row["nominated"] === true);
    const end = (side: string) => rows.find((row) => pair !== undefined && row["id"] === pair[`${side}CandidateId`]);
    const local = end("local");
    return {
      protocol: local?.["protocol"] as string | undefined,
      way: local?.["candidateType"] as string | undefined,
      theirWay: end("remote")?.["candidateType"] as string | undefined,
      relayProtocol: local?.["relayProtocol"] as string | undefined,
      framesDecoded: Number(inbound("video")["framesDecoded"] ?? 0),
      packetsLost: Number(inbound("video")["packetsLost"] ?? 0),
      audioSamples: Number(inbound("audio")["totalSamplesReceived"] ?? 0),
      audioEnergy: Number(inbound("audio")["totalAudioEnergy"] ?? 0),
    };
  });
}

/** Waits until the page has been given so many more frames. Answers the RTP time from each one to the next, 90 kHz ticks. */
export async function frameGaps(page: Page, count: number, timeoutMs = 60_000): Promise<number[]> {
  const frames = await page.evaluate(
    ([wanted, limitMs]) =>
      new Promise<number[]>((done, failed) => {
        const video = document.querySelector("video");
        if (video === null) throw new Error("the page has no video");
        const seen: number[] = [];
        const timer = setTimeout(
          () => failed(new Error(`${seen.length} frames of ${wanted} came in ${limitMs} ms`)),
          limitMs,
        );
        const next = (_now: number, { rtpTimestamp = 0 }: VideoFrameCallbackMetadata): void => {
          seen.push(rtpTimestamp);
          if (seen.length <= wanted) {
            video.requestVideoFrameCallback(next);
            return;
          }
          clearTimeout(timer);
          done(seen);
        };
        video.requestVideoFrameCallback(next);
      }),
    [count, timeoutMs] as const,
  );
  return frames.slice(1).map((rtp, index) => (rtp - (frames[index] ?? 0) + 2 ** 32) % 2 ** 32);
}

/**
 * Lets a page reach agents through TURN servers alone, and those by one protocol: through those of its settings, or through `server`.
 * Call it before the page is opened.
 */
export async function relayOnly(page: Page, protocol: "udp" | "tcp", server?: IceServer): Promise<void> {
  await page.addInitScript(onlyThroughTurn, { wanted: protocol, own: server && [server as RTCIceServer] });
}

/** Runs in the page. Self-contained: it is sent as text. */
function onlyThroughTurn({ wanted, own }: { wanted: string; own: RTCIceServer[] | undefined }): void {
  const fitting = (given: RTCConfiguration = {}): RTCConfiguration => ({
    ...given,
    iceTransportPolicy: "relay",
    iceServers: (own ?? given.iceServers ?? []).map((server) => ({
      ...server,
      urls: [server.urls].flat().filter((url) => url.endsWith(`transport=${wanted}`)),
    })),
  });
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct: (made, [given], self) => Reflect.construct(made, [fitting(given as RTCConfiguration)], self) as object,
  });
  const real = RTCPeerConnection.prototype;
  const change = real.setConfiguration;
  real.setConfiguration = function (this: RTCPeerConnection, given) {
    change.call(this, fitting(given));
  };
}
