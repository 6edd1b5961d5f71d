import { markdown } from "./figures/table.ts";
import type { Result } from "./parts/part.ts";

/** All results as one table. */
export function resultTable(results: readonly Result[]): string {
  const head = ["what", "condition", "p50", "p95", "most", "n", "unit"];
  return markdown([head, ...results.map(row)]);
}

function row({ what, condition, unit, value }: Result): string[] {
  if (value === null) return [what, condition, "–", "–", "–", "0", unit];
  if (typeof value === "number") return [what, condition, figure(value), "", "", "1", unit];
  return [what, condition, figure(value.p50), figure(value.p95), figure(value.max), String(value.n), unit];
}

const figure = (value: number): string =>
  Math.abs(value) < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);

/** docs/performance.md, whole. */
export function page(results: readonly Result[], facts: readonly string[]): string {
  return `# How fast it is

Written by \`npm run bench -- --write\`. One run on one computer; nothing of it is asserted anywhere, and another computer shows other
figures. Browser, relay, platform, database, agent and the machine's painter share the cores, and so does whatever else ran.

${facts.map((fact) => `- ${fact}`).join("\n")}

${resultTable(results)}

## What is measured

- **glass to glass, painted time**: the simulated machine paints the time of capture into the picture; the page reads it back from each
  presented picture (\`requestVideoFrameCallback\`) and takes it from its presentation time. One computer, one clock. The display's
  own delay is not in it. **The page's readout** is what the game screen shows its player (a median of 2 s) in the same time, from RTP
  timestamps and the \`clock\` channel alone.
- **press to visible change**: from the Space key going down in the page to the presented picture whose press marker has flipped. It
  holds the wait for the machine's next picture, 0 to 33 ms.
- **first picture from click**: from the click on the card in the lobby to the first presented picture: route, socket, seat, offer and
  answer, ICE, DTLS, source and encoder started from nothing.
- **agent's processor time**: user and system time of the agent's process, painting of the simulated machine included, which a real
  machine does not need.
- **transactions** and **sessions**: from asking the API for one page until its last byte, by a player with a thousand rows and one with a
  million in turns, over HTTP on one computer. The *rare machine* has the oldest hundredth of the rows. Counting up to 10,000 rows is in it.
- **lobby**: a floor of 12 and of 2,000 machines while 200 statuses a second are pushed, in a page whose processor is made four times
  slower, against a scripted back end. *Frames left out* are those that 60 Hz would have drawn; *scrolled* moves the floor by 4,800 px
  a second.
- **3 % loss** and **1.5 Mbit/s** (a drop-tail queue of 300 ms) are made by a UDP relay of our own, in both directions; it is part of the
  bench's process. The times on the narrow path hold the first seconds, in which the rate is still looked for.
`;
}
