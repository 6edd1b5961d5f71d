import { expect, test } from "vitest";
import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import type { TrialOutcome } from "../media/encoder/trial.ts";
import { checkEncoders, chooseEncoder } from "./encoders.ts";

const kept = (delayMsP95: number, processorMs: number): TrialOutcome => ({ is: "kept", delayMsP95, processorMs });
const X264 = kept(6.04, 8);
const absent: TrialOutcome = { is: "absent", why: "open2: no device." };
const unfit: TrialOutcome = { is: "broken", why: "A frame is late." };
const quick = kept(4, 1.2);
const late = kept(20, 1.2);

const says = async (qsv: TrialOutcome, set: EncoderName = "x264") => {
  const tried: EncoderName[] = [];
  const findings = await checkEncoders(set, async (name) => {
    tried.push(name);
    return name === "x264" ? X264 : qsv;
  });
  return {
    tried,
    states: findings.map(({ state }) => state),
    text: findings.map((one) => one.says).join(" "),
    findings,
  };
};

test("where no hardware encoder opens or is fit, it says so, and x264 need not be tried", async () => {
  const none = await says(absent);
  expect(none).toMatchObject({ tried: ["qsv"], states: ["note"] });
  expect(none.text).toBe("The encoder qsv does not open here (open2: no device).");
  expect(await says(unfit)).toMatchObject({
    tried: ["qsv"],
    states: ["note"],
    text: "The encoder qsv is unfit: A frame is late.",
  });
});

test("where the one that is set does not open or is unfit, something is wrong", async () => {
  for (const outcome of [absent, unfit]) {
    const { states, findings } = await says(outcome, "qsv");
    expect(states).toEqual(["bad"]);
    expect(findings[0]?.change).toMatch(/^Set ENCODER=x264/);
  }
});

test("one that keeps its promises is compared with x264, and the better one is named with the setting", async () => {
  const better = await says(quick);
  expect(better).toMatchObject({ tried: ["qsv", "x264"], states: ["good", "good", "note"] });
  expect(better.text).toContain(
    "qsv keeps its promises; 95 of 100 pictures are out within 4.0 ms, for 1.2 ms of a processor each.",
  );
  expect(better.findings.at(-1)).toMatchObject({
    says: expect.stringMatching(/^qsv is the one to use/),
    change: "Set ENCODER=qsv",
  });
  expect((await says(quick, "qsv")).states).toEqual(["good", "good", "good"]);
  const worse = await says(late, "qsv");
  expect(worse.findings.at(-1)).toMatchObject({ state: "note", change: "Set ENCODER=x264" });
  expect((await says(late)).states).toEqual(["good", "good", "good"]);
});

test.each<{ what: string; x264?: TrialOutcome; qsv?: TrialOutcome; chosen: string }>([
  { what: "as quick, for less", x264: kept(6, 8), qsv: kept(6, 2), chosen: "qsv" },
  { what: "a little later, for less", x264: kept(6, 8), qsv: kept(9, 2), chosen: "qsv" },
  { what: "later, for less", x264: kept(6, 8), qsv: kept(9.1, 2), chosen: "x264" },
  { what: "quicker, for as much", x264: kept(6, 8), qsv: kept(2, 8), chosen: "x264" },
  { what: "quicker, for a little less", x264: kept(6, 8), qsv: kept(2, 5.7), chosen: "x264" },
  { what: "quicker, for seven tenths", x264: kept(6, 10), qsv: kept(2, 7), chosen: "qsv" },
  { what: "not there", x264: kept(6, 8), qsv: absent, chosen: "x264" },
  { what: "unfit", x264: kept(6, 8), qsv: unfit, chosen: "x264" },
  { what: "beside an x264 that could not be measured", x264: unfit, qsv: kept(2, 2), chosen: "x264" },
  { what: "alone", qsv: kept(2, 2), chosen: "x264" },
  { what: "not tried", x264: kept(6, 8), chosen: "x264" },
])("of x264 and a hardware encoder that is $what, $chosen is chosen", ({ x264, qsv, chosen }) => {
  expect(
    chooseEncoder(new Map([...(qsv ? [["qsv", qsv] as const] : []), ...(x264 ? [["x264", x264] as const] : [])])),
  ).toBe(chosen);
});
