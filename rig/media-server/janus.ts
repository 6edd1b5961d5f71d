import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { freePort } from "../venue/free-port.ts";

type Janus = {
  /** Its WebSocket. */
  readonly url: string;
  /** Where it takes RTP, on 127.0.0.1. */
  readonly rtpPort: number;
  close(): Promise<void>;
};

const START_MS = 30_000;
const LOOK_MS = 50;

type JanusOptions = {
  /** Where it sends media from: it never does from 127.0.0.1. */
  readonly address: string;
  /** Its one plugin: `streaming` sends on what comes to a port, `videoroom` what a publisher sends over WebRTC. */
  readonly plugin: "streaming" | "videoroom";
  /** Offers TCP beside UDP. */
  readonly tcp?: boolean;
  readonly say: (line: string) => void;
};

/** A Janus of our own: its door on 127.0.0.1, its media from `address`. @throws Advice or Error when there is none or it does not start. */
export async function openJanus({ address, plugin, tcp = false, say }: JanusOptions): Promise<Janus> {
  const { executablePath, env, args } = await findTool("janus", { say });
  const folder = await mkdtemp(join(tmpdir(), "longarm-janus-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const [port, rtpPort] = [await freePort(), await freeUdpPort()];
    await layOut(folder, executablePath, plugin);
    for (const [name, text] of Object.entries(janusSettings({ folder, port, rtpPort, address, tcp })))
      await writeFile(join(folder, name), text);
    const given = ["--config", join(folder, "janus.jcfg"), "--configs-folder", folder];
    const child = spawn(executablePath, [...args, ...given], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let words = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        words = (words + part).slice(-2_000);
      });
    const gone = once(child, "exit");
    const close = async (): Promise<void> => {
      child.kill("SIGKILL");
      await gone;
      await remove();
    };
    const url = `ws://127.0.0.1:${port}`;
    const endsAt = performance.now() + START_MS;
    while (!(await answers(url))) {
      if (child.exitCode === null && performance.now() < endsAt) continue;
      await close();
      throw new Error(`Janus did not start: ${words.trim()}`);
    }
    return { url, rtpPort, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Its modules lie beside it, installed or unpacked; only those that we need are put where it looks. */
async function layOut(folder: string, executablePath: string, plugin: JanusOptions["plugin"]): Promise<void> {
  await mkdir(join(folder, "empty"));
  const modules = { plugins: `libjanus_${plugin}.so`, transports: "libjanus_websockets.so" };
  for (const [kind, file] of Object.entries(modules)) {
    await mkdir(join(folder, kind));
    const beside = dirname(executablePath);
    const [found] = globSync(`../lib/{,*/}janus/${kind}/${file}`, { cwd: beside });
    if (found === undefined) throw new Error(`Janus has no ${file}: use Debian's package, or one that holds it.`);
    await symlink(resolve(beside, found), join(folder, kind, basename(file)));
  }
}

/** An IPv4 address of this computer other than 127.0.0.1; undefined: it is in no network. Janus sends from no other. */
export function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

async function answers(url: string): Promise<boolean> {
  const socket = new WebSocket(url, "janus-protocol");
  const answer = await new Promise<boolean>((opened) => {
    socket.onopen = () => opened(true);
    socket.onerror = () => opened(false);
  });
  socket.close();
  if (!answer) await pause(LOOK_MS);
  return answer;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(() => closed()));
  return port;
}

/** One viewer of Janus, as far as signalling goes. */
export type JanusSession = {
  /** Its offer. */
  watch(): Promise<string>;
  start(answer: string): Promise<void>;
  /** Has each packet say that its picture is to be shown at once: the playout-delay extension with 0 and 0. */
  showAtOnce(): Promise<void>;
  close(): void;
};

type Answer = {
  readonly janus: string;
  readonly transaction?: string;
  readonly data?: { readonly id: number };
  readonly jsep?: { readonly sdp: string };
  readonly error?: { readonly reason: string };
  readonly plugindata?: {
    readonly data: { readonly error?: string; readonly participants?: readonly { readonly id: number }[] };
  };
};

const ANSWER_MS = 10_000;

/** A viewer of the streaming plugin's one stream. */
export async function openJanusSession(url: string): Promise<JanusSession> {
  const { attach, close } = await connectJanus(url);
  const message = await attach("streaming");
  return {
    async watch() {
      return offerOf(await message({ request: "watch", id: STREAM_ID }));
    },
    async start(answer) {
      await message({ request: "start" }, answer);
    },
    async showAtOnce() {
      await message({ request: "configure", min_delay: 0, max_delay: 0 });
    },
    close,
  };
}

/** The video room plugin's one room, in which publishers and watchers meet. */
export type JanusRoom = {
  readonly id: number;
  publishers(): Promise<readonly number[]>;
  /** Janus' offer to a watcher, and what takes the watcher's answer. */
  watch(publisher: number): Promise<{ readonly offer: string; start(answer: string): Promise<void> }>;
  close(): void;
};

export async function openJanusRoom(url: string): Promise<JanusRoom> {
  const { attach, close } = await connectJanus(url);
  const desk = await attach("videoroom");
  await desk({
    request: "create",
    room: ROOM_ID,
    publishers: 100,
    videocodec: "h264,vp8",
    audiocodec: "opus",
    fir_freq: 0,
  });
  return {
    id: ROOM_ID,
    async publishers() {
      const { plugindata } = await desk({ request: "listparticipants", room: ROOM_ID });
      return (plugindata?.data.participants ?? []).map(({ id }) => id);
    },
    async watch(publisher) {
      const message = await attach("videoroom");
      const join = { request: "join", ptype: "subscriber", room: ROOM_ID, streams: [{ feed: publisher }] };
      const offer = offerOf(await message(join));
      return {
        offer,
        async start(answer) {
          await message({ request: "start" }, answer);
        },
      };
    },
    close,
  };
}

const ROOM_ID = 1234;

function offerOf({ jsep }: Answer): string {
  if (jsep === undefined) throw new Error("Janus made no offer.");
  return jsep.sdp;
}

/** Sends a plugin a request, with the answer to its offer if that is one. */
type Message = (body: object, answer?: string) => Promise<Answer>;
type JanusConnection = { attach(plugin: JanusOptions["plugin"]): Promise<Message>; close(): void };

async function connectJanus(url: string): Promise<JanusConnection> {
  const socket = new WebSocket(url, "janus-protocol");
  await new Promise((open, failed) => {
    socket.onopen = open;
    socket.onerror = () => failed(new Error("Janus does not answer."));
  });
  const waiting = new Map<string, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
    const answer = JSON.parse(data) as Answer;
    // The real answer of a plugin comes after its "ack".
    if (answer.janus !== "ack") waiting.get(answer.transaction ?? "")?.(answer);
  });
  let requests = 0;
  const ask = async (question: object): Promise<Answer> => {
    requests += 1;
    const transaction = `t${requests}`;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => reject(new Error("Janus said nothing.")), ANSWER_MS);
    waiting.set(transaction, resolve);
    socket.send(JSON.stringify({ ...question, transaction }));
    try {
      const answer = await promise;
      const problem = answer.error?.reason ?? answer.plugindata?.data.error;
      if (problem !== undefined) throw new Error(`Janus refused: ${problem}`);
      return answer;
    } finally {
      clearTimeout(timer);
      waiting.delete(transaction);
    }
  };
  const session = (await ask({ janus: "create" })).data?.id;
  return {
    async attach(plugin) {
      const handle = (await ask({ janus: "attach", plugin: `janus.plugin.${plugin}`, session_id: session })).data?.id;
      return (body, answer) => {
        const jsep = answer === undefined ? {} : { jsep: { type: "answer", sdp: answer } };
        return ask({ janus: "message", session_id: session, handle_id: handle, body, ...jsep });
      };
    },
    close: () => socket.close(),
  };
}

/** The one stream of our Janus. */
const STREAM_ID = 1;

type JanusPlaces = {
  /** Where the files below lie, and folders `plugins`, `transports` and `empty`. */
  readonly folder: string;
  /** Of its WebSocket. */
  readonly port: number;
  /** Where it takes RTP, on 127.0.0.1. */
  readonly rtpPort: number;
  /** Where it sends media from: it never does from 127.0.0.1. */
  readonly address: string;
  /** Offers TCP beside UDP. */
  readonly tcp: boolean;
};

/** Janus' settings as a good operator writes them for a delay as short as can be, by file name. */
function janusSettings({ folder, port, rtpPort, address, tcp }: JanusPlaces): Record<string, string> {
  return {
    "janus.jcfg": `general: {
  configs_folder = "${folder}"
  plugins_folder = "${folder}/plugins"
  transports_folder = "${folder}/transports"
  events_folder = "${folder}/empty"
  loggers_folder = "${folder}/empty"
  debug_level = 3
  debug_colors = false
  session_timeout = 0
}
media: {
  min_nack_queue = 500
}
nat: {
  nice_debug = false
  ice_lite = true
  ice_tcp = ${tcp}
  ignore_mdns = true
  ice_enforce_list = "${address}"
}
`,
    "janus.transport.websockets.jcfg": `general: {
  json = "compact"
  ws = true
  ws_port = ${port}
  ws_ip = "127.0.0.1"
  wss = false
}
admin: {
  admin_ws = false
  admin_wss = false
}
`,
    // What was before the last key frame is of no use to a viewer who joins, so the stream is kept from there on.
    "janus.plugin.streaming.jcfg": `floor: {
  type = "rtp"
  id = ${STREAM_ID}
  description = "the simulated machine"
  audio = false
  video = true
  videoport = ${rtpPort}
  videoiface = "127.0.0.1"
  videopt = 96
  videocodec = "h264"
  videofmtp = "profile-level-id=42e01f;packetization-mode=1"
  videobufferkf = true
  playoutdelay_ext = true
}
`,
  };
}
