import { STREAM_ID } from "./janus-settings.ts";

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
  let asked = 0;
  const ask = async (question: object): Promise<Answer> => {
    asked += 1;
    const transaction = `t${asked}`;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => reject(new Error("Janus said nothing.")), ANSWER_MS);
    const hear = ({ data }: MessageEvent<string>): void => {
      const answer = JSON.parse(data) as Answer;
      // The real answer of a plugin comes after its "ack".
      if (answer.transaction === transaction && answer.janus !== "ack") resolve(answer);
    };
    socket.addEventListener("message", hear);
    socket.send(JSON.stringify({ ...question, transaction }));
    try {
      const answer = await promise;
      const problem = answer.error?.reason ?? answer.plugindata?.data.error;
      if (problem !== undefined) throw new Error(`Janus refused: ${problem}`);
      return answer;
    } finally {
      clearTimeout(timer);
      socket.removeEventListener("message", hear);
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
