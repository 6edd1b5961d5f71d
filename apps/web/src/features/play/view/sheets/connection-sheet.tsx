import { useText, useTexts } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useEffect, useState } from "react";
import { pageNow } from "../../../../shared/page-clock/page-clock.ts";
import { saveFile } from "../../../../shared/storage/save-file.ts";
import { browserChecks } from "../../browser/connection-checks.ts";
import type { Finding, Found, Part } from "../../state/self-test.ts";
import { PARTS, runSelfTest, supportFile } from "../../state/self-test.ts";
import { usePlay } from "../play-context.ts";
import css from "./connection-sheet.module.css";
import { GameSheet } from "./game-sheet.tsx";
import { LinkFigures } from "./link-figures.tsx";

export type ConnectionView = "now" | "test";

/** The measurements of the link, and the self-test that names what blocks the video. */
export function ConnectionSheet(props: {
  readonly open: boolean;
  /** The view that it opens with. */
  readonly first: ConnectionView;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  const texts = useTexts();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    texts.need("connection").then(
      () => setReady(true),
      // Without its texts it stays closed; the page requested them when the video started.
      () => undefined,
    );
  }, [texts]);
  if (!ready) return null;
  return (
    <GameSheet open={props.open} onClose={props.onClose} title={t("connection.title")} wide>
      <Contents first={props.first} />
    </GameSheet>
  );
}

function Contents({ first }: { readonly first: ConnectionView }) {
  const { t } = useText();
  const [view, setView] = useState(first);
  const test = useSelfTest(first === "test");
  return (
    <>
      <Segment
        label={t("connection.views")}
        className={css["views"] ?? ""}
        value={view}
        onChange={setView}
        options={[
          { value: "now", label: t("connection.now") },
          { value: "test", label: t("connection.test") },
        ]}
      />
      {view === "now" ? <LinkFigures /> : <SelfTest test={test} />}
      <SaveForSupport findings={test.findings} />
    </>
  );
}

/** Saves the last minute and the findings as a file for support. */
function SaveForSupport({ findings }: { findings: readonly Finding[] }) {
  const { t } = useText();
  const { session, throttle } = usePlay();
  const save = (): void => {
    if (!throttle("export")) return;
    const machineId = session.state.getState().machine?.id ?? "";
    const about = { machineId: String(machineId), now: pageNow(), userAgent: navigator.userAgent, findings };
    const text = supportFile(session.meter.report, about);
    saveFile(new Blob([text], { type: "application/json" }), "longarm-connection.json");
  };
  return (
    <div className={css["save"]}>
      <Key icon="download" onClick={save}>
        {t("connection.export")}
      </Key>
      <p>{t("connection.exportAbout")}</p>
    </div>
  );
}

const LAMPS = { ok: "available", fail: "fault", skipped: "off" } as const satisfies Record<Finding["is"], LampStatus>;
/** One of these may fail while video arrives over another. */
const TRANSPORTS: ReadonlySet<Part> = new Set(["udp", "tcp", "turn"]);

/** Every part with a lamp and, where it fails, what to do. */
function SelfTest({ test }: { test: SelfTestNow }) {
  const { t } = useText();
  const { findings, runs, start } = test;
  const begun = runs || findings.length > 0;
  return (
    <section className={css["test"]} aria-label={t("connection.test")}>
      <p className={css["about"]}>{t("connection.testAbout")}</p>
      {begun && (
        <ol className={css["parts"]}>
          {PARTS.map((part, index) => (
            <PartLine key={part} part={part} finding={findings[index]} runs={runs && findings.length === index} />
          ))}
        </ol>
      )}
      <p className={css["verdict"]} role="status">
        <Verdict {...test} />
      </p>
      <Key kind={begun ? "plain" : "brass"} busy={runs} onClick={start}>
        {t(begun ? "connection.again" : "connection.run")}
      </Key>
    </section>
  );
}

function PartLine({ part, finding, runs }: { part: Part; finding: Finding | undefined; runs: boolean }) {
  const { t } = useText();
  const about = finding && finding.found !== "fine" && finding.found !== "notNeeded" ? finding.found : undefined;
  return (
    <li data-part={part} data-found={finding?.is} aria-current={runs ? "step" : undefined}>
      <span>{t(`connection.part${capital(part)}`)}</span>
      {runs && <Lamp status="playing">{t("connection.runs")}</Lamp>}
      {finding !== undefined && <Lamp status={LAMPS[finding.is]}>{t(`connection.${finding.is}`)}</Lamp>}
      {about !== undefined && <p>{t(`connection.found${capital(about)}`)}</p>}
    </li>
  );
}

/** The result in one sentence; while the test runs, the part under test. */
function Verdict({ findings, runs }: SelfTestNow) {
  const { t } = useText();
  const next = PARTS[findings.length];
  if (runs) return next && t("connection.running", { part: t(`connection.part${capital(next)}`) });
  if (findings.length === 0) return undefined;
  const failed = blamed(findings);
  if (failed === undefined) return t("connection.verdictFine");
  return t("connection.verdictFail", { part: t(`connection.part${capital(failed.part)}`) });
}

/** The part to name: a transport may fail while video arrives over another, and where all fail the first is named. */
function blamed(findings: readonly Finding[]): Finding | undefined {
  const failed = findings.filter(({ is }) => is === "fail");
  const video = findings.some(({ part, is }) => part === "picture" && is === "ok");
  const grave = failed.find(
    ({ part }) => !TRANSPORTS.has(part) && !(part === "machine" && failed.length > 1) && part !== "picture",
  );
  if (grave !== undefined) return grave;
  const nothing = failed.find(({ found }) => found === "pictureAway");
  return nothing ?? (video ? undefined : failed[0]);
}

function capital<T extends Part | Exclude<Found, "fine" | "notNeeded">>(word: T): Capitalize<T> {
  return (word.charAt(0).toUpperCase() + word.slice(1)) as Capitalize<T>;
}

/** Video that follows the trial of the transports arrives within this time, ms. */
const VIDEO_MS = 3_000;

type SelfTestNow = {
  readonly findings: readonly Finding[];
  readonly runs: boolean;
  readonly start: () => void;
};

/** The self-test of this game; `atOnce`: starts by itself. It stops when the sheet closes. */
function useSelfTest(atOnce: boolean): SelfTestNow {
  const { session, deps } = usePlay();
  const { timers } = deps;
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [round, setRound] = useState(atOnce ? 1 : 0);
  const [done, setDone] = useState(0);
  useEffect(() => {
    if (round === 0) return;
    let left = false;
    setFindings([]);
    const state = () => session.state.getState();
    const video = (): Promise<boolean> =>
      new Promise((resolve) => {
        if (state().live) {
          resolve(true);
          return;
        }
        const finish = (came: boolean): void => {
          stop();
          unsubscribe();
          resolve(came);
        };
        const stop = timers.after(VIDEO_MS, () => finish(false));
        const unsubscribe = session.state.subscribe(({ live }) => live && finish(true));
      });
    void runSelfTest(
      { browser: browserChecks, media: session.media, meter: session.meter, state, video },
      (finding) => setFindings((before) => [...before, finding]),
      () => left,
    ).then(() => !left && setDone(round));
    return () => {
      left = true;
    };
  }, [round, session, timers]);
  return { findings, runs: round !== done, start: () => setRound((last) => last + 1) };
}
