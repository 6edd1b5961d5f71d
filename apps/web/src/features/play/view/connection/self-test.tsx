import { useText } from "../../../../shared/i18n/use-text.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import type { LampStatus } from "../../../../shared/ui/lamp.tsx";
import { Lamp } from "../../../../shared/ui/lamp.tsx";
import type { Finding, Found, Part } from "../../state/connection/finding.ts";
import { PARTS } from "../../state/connection/finding.ts";
import css from "./connection.module.css";
import type { SelfTestNow } from "./use-self-test.ts";

const LAMPS = { ok: "available", fail: "fault", skipped: "off" } as const satisfies Record<Finding["is"], LampStatus>;
/** Works although it does not all work: the picture comes another way. */
const WAYS: ReadonlySet<Part> = new Set(["udp", "tcp", "turn"]);

/** Part after part with a lamp and, where it fails, what to do. */
export function SelfTest({ test }: { test: SelfTestNow }) {
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

/** What it comes to, in one sentence; while it runs, where it is. */
function Verdict({ findings, runs }: SelfTestNow) {
  const { t } = useText();
  const next = PARTS[findings.length];
  if (runs) return next && t("connection.running", { part: t(`connection.part${capital(next)}`) });
  if (findings.length === 0) return undefined;
  const failed = blamed(findings);
  if (failed === undefined) return t("connection.verdictFine");
  return t("connection.verdictFail", { part: t(`connection.part${capital(failed.part)}`) });
}

/** The part to name: a way that fails is no harm while a picture comes over another, and where all fail the first is named. */
function blamed(findings: readonly Finding[]): Finding | undefined {
  const failed = findings.filter(({ is }) => is === "fail");
  const pictures = findings.some(({ part, is }) => part === "picture" && is === "ok");
  const grave = failed.find(
    ({ part }) => !WAYS.has(part) && !(part === "machine" && failed.length > 1) && part !== "picture",
  );
  if (grave !== undefined) return grave;
  const nothing = failed.find(({ found }) => found === "pictureAway");
  return nothing ?? (pictures ? undefined : failed[0]);
}

function capital<T extends Part | Exclude<Found, "fine" | "notNeeded">>(word: T): Capitalize<T> {
  return (word.charAt(0).toUpperCase() + word.slice(1)) as Capitalize<T>;
}
