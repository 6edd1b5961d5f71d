import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../rig/venue/free-port.ts";
import { findTool } from "../../tooling/finders/find-tool.ts";

type Janus = {
  /** Its WebSocket. */
  readonly url: string;
  /** Where it takes RTP, on 127.0.0.1. */
  readonly rtpPort: number;
  close(): Promise<void>;
};

const START_MS = 30_000;
const LOOK_MS = 50;
/** The only parts of it that are loaded. */
const MODULES = { plugins: "libjanus_streaming.so", transports: "libjanus_websockets.so" } as const;

/** A Janus of our own: its door on 127.0.0.1, its media from `address`. @throws Advice or Error when there is none or it does not start. */
export async function openJanus(address: string, tcp: boolean, say: (line: string) => void): Promise<Janus> {
  const { executablePath, env, args } = await findTool("janus", { say });
  const folder = await mkdtemp(join(tmpdir(), "longarm-janus-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const [port, rtpPort] = [await freePort(), await freeUdpPort()];
    await layOut(folder, executablePath);
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
async function layOut(folder: string, executablePath: string): Promise<void> {
  await mkdir(join(folder, "empty"));
  for (const [kind, file] of Object.entries(MODULES)) {
    await mkdir(join(folder, kind));
    const beside = dirname(executablePath);
    const [found] = globSync(`../lib/{,*/}janus/${kind}/${file}`, { cwd: beside });
    if (found === undefined) throw new Error(`Janus has no ${file}: use Debian's package, or one that holds it.`);
    await symlink(resolve(beside, found), join(folder, kind, basename(file)));
  }
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

/** One viewer of Janus' streaming plugin, as far as signalling goes. */
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
  readonly plugindata?: { readonly data: { readonly error?: string } };
};

const ANSWER_MS = 10_000;

export async function openJanusSession(url: string): Promise<JanusSession> {
  const socket = new WebSocket(url, "janus-protocol");
  await new Promise((open, failed) => {
    socket.onopen = open;
    socket.onerror = () => failed(new Error("Janus does not answer."));
  });
  let requests = 0;
  const ask = async (question: object): Promise<Answer> => {
    requests += 1;
    const transaction = `t${requests}`;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => reject(new Error("Janus said nothing.")), ANSWER_MS);
    const onMessage = ({ data }: MessageEvent<string>): void => {
      const answer = JSON.parse(data) as Answer;
      // The real answer of a plugin comes after its "ack".
      if (answer.transaction === transaction && answer.janus !== "ack") resolve(answer);
    };
    socket.addEventListener("message", onMessage);
    socket.send(JSON.stringify({ ...question, transaction }));
    try {
      const answer = await promise;
      const problem = answer.error?.reason ?? answer.plugindata?.data.error;
      if (problem !== undefined) throw new Error(`Janus refused: ${problem}`);
      return answer;
    } finally {
      clearTimeout(timer);
      socket.removeEventListener("message", onMessage);
    }
  };
  const session = (await ask({ janus: "create" })).data?.id;
  const attach = { janus: "attach", plugin: "janus.plugin.streaming", session_id: session };
  const handle = (await ask(attach)).data?.id;
  const message = (body: object, more: object = {}) =>
    ask({ janus: "message", session_id: session, handle_id: handle, body, ...more });
  return {
    async watch() {
      const { jsep } = await message({ request: "watch", id: STREAM_ID });
      if (jsep === undefined) throw new Error("Janus made no offer.");
      return jsep.sdp;
    },
    async start(answer) {
      await message({ request: "start" }, { jsep: { type: "answer", sdp: answer } });
    },
    async showAtOnce() {
      await message({ request: "configure", min_delay: 0, max_delay: 0 });
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
