import type { MachineAbout, Paytable } from "@longarm/contract/about-machine";
import type { OperatorText } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useEffect, useState } from "react";
import { operatorText } from "../../../../shared/contacts/contacts.tsx";
import { usePlay } from "../play-context.ts";
import css from "./about-sheet.module.css";
import { Fact, FactList, GameSheet } from "./game-sheet.tsx";

/** What the machine is, what its game pays, and what holds when something goes wrong (player: paytable and rules beside the machine). */
export function AboutSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useText();
  return (
    <GameSheet open={open} onClose={onClose} title={t("play.about")} wide>
      <Contents />
    </GameSheet>
  );
}

function Contents() {
  const { t } = useText();
  const { statement, retry } = useAbout();
  return (
    <>
      <MachineFacts about={statement.is === "known" ? statement.about : undefined} />
      {statement.is === "waiting" && <p className={css["quiet"]}>{t("play.aboutWaits")}</p>}
      {statement.is === "failed" && (
        <div className={css["failed"]} role="alert">
          <p>{t("play.aboutFailed")}</p>
          <Key kind="line" onClick={retry}>
            {t("app.tryAgain")}
          </Key>
        </div>
      )}
      {statement.is === "known" && <Stated about={statement.about} />}
      <section className={css["part"]}>
        <h3 className="plate">{t("play.aboutMoney")}</h3>
        <p>{t("play.aboutMoneyMoves")}</p>
      </section>
      <section className={css["part"]}>
        <h3 className="plate">{t("play.aboutFaults")}</h3>
        <p>
          <b>{t("play.aboutMalfunction")}</b> {t("play.aboutDecides")}
        </p>
      </section>
    </>
  );
}

type Statement = { readonly is: "waiting" | "failed" } | { readonly is: "known"; readonly about: MachineAbout };

/** Requests the machine's statement each time the sheet opens. A platform that does not know the request states nothing. */
function useAbout(): { readonly statement: Statement; readonly retry: () => void } {
  const { session } = usePlay();
  const [statement, setStatement] = useState<Statement>({ is: "waiting" });
  const [round, setRound] = useState(1);
  useEffect(() => {
    let left = round === 0;
    setStatement({ is: "waiting" });
    void session.about().then((answer) => {
      if (left) return;
      if (answer.is === "done") setStatement({ is: "known", about: answer.data });
      else if (answer.is === "refused" && answer.refusal.name === "request.malformed")
        setStatement({ is: "known", about: {} });
      else setStatement({ is: "failed" });
    });
    return () => {
      left = true;
    };
  }, [session, round]);
  return { statement, retry: () => setRound((last) => last + 1) };
}

/** What every machine has. Undefined: the machine has not answered yet. */
function MachineFacts({ about }: { about: MachineAbout | undefined }) {
  const { t, language } = useText();
  const { session, deps } = usePlay();
  const machine = useLive(session.state, (state) => state.machine);
  const stakes = about?.stakes ?? deps.machine?.stakes;
  const returned = about?.return;
  const percent = new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 2 });
  const none = about === undefined ? "…" : t("play.aboutNotStated");
  return (
    <FactList className={css["machine"]}>
      {machine?.simulated && (
        <Fact name={t("play.aboutKind")} wide>
          {t("play.aboutSimulated")}
        </Fact>
      )}
      <Fact name={t("play.aboutBrand")}>
        <bdi>{machine?.brand ?? deps.machine?.brand}</bdi>
      </Fact>
      <Fact name={t("play.aboutModel")}>
        <bdi>{about?.model ?? none}</bdi>
      </Fact>
      <Fact name={t("play.aboutCredit")}>
        {machine === undefined ? none : <Money minor={machine.denomination} tone="ink" />}
      </Fact>
      <Fact name={t("play.aboutStakes")}>
        {stakes === undefined ? (
          none
        ) : (
          <span dir="ltr">
            <Money minor={stakes.min} tone="ink" />
            {stakes.max > stakes.min && (
              <>
                {" – "}
                <Money minor={stakes.max} tone="ink" />
              </>
            )}
          </span>
        )}
      </Fact>
      <Fact name={t("play.aboutReturn")} wide>
        {returned === undefined ? (
          none
        ) : (
          <>
            <span className="num" dir="ltr">
              {t("play.aboutPercent", { value: percent.format(returned.percent) })}
            </span>
            <small>{t(returned.by === "operator" ? "play.aboutByOperator" : "play.aboutByMachine")}</small>
          </>
        )}
      </Fact>
    </FactList>
  );
}

function Stated({ about: { paytable, rules } }: { about: MachineAbout }) {
  const { t, language } = useText();
  return (
    <>
      {paytable === undefined ? (
        <section className={css["part"]}>
          <h3 className="plate">{t("play.aboutPays")}</h3>
          <p>{t("play.aboutNoPaytable")}</p>
        </section>
      ) : (
        <PaytableView paytable={paytable} />
      )}
      {rules !== undefined && operatorText(rules, language) !== "" && (
        <section className={css["part"]}>
          <h3 className="plate">{t("play.aboutRules")}</h3>
          <p className={css["said"]} dir="auto">
            {operatorText(rules, language)}
          </p>
        </section>
      )}
    </>
  );
}

/** What each symbol pays, as a multiple and at the current stake, and the lines it counts on. */
function PaytableView({ paytable }: { paytable: Paytable }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const stake = useLive(session.state, ({ meters }) => meters?.bet ?? 0);
  const lineStake = stakeOfLine(stake, paytable);
  const { lines, rows } = paytable;
  return (
    <>
      <section className={css["part"]}>
        <h3 className="plate">{t("play.aboutPays")}</h3>
        <Symbols paytable={paytable} stake={lineStake === undefined ? undefined : { line: lineStake, whole: stake }} />
        <p className={css["quiet"]}>
          {lineStake !== undefined &&
            `${t("play.aboutAtStake", { stake: moneyText(stake, currency, language, true) })} `}
          {t("play.aboutTimes")}
        </p>
        <Features paytable={paytable} />
      </section>
      {lines.length > 0 && (
        <section className={css["part"]}>
          <h3 className="plate">{t("play.aboutLines", { count: lines.length })}</h3>
          <ol className={css["lines"]} dir="ltr">
            {lines.map((line, index) => (
              <li key={line.join()}>
                <LineShape line={line} rows={rows} />
                <span className="num">{index + 1}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

/** Undefined where the stake cannot be shared evenly over the lines: an amount would be a guess. */
function stakeOfLine(stake: number, { lines }: Paytable): number | undefined {
  const share = lines.length === 0 ? stake : stake / lines.length;
  return stake > 0 && Number.isSafeInteger(share) ? share : undefined;
}

type Stake = { readonly line: number; readonly whole: number } | undefined;

function Symbols({ paytable: { symbols }, stake }: { paytable: Paytable; stake: Stake }) {
  const { t, language } = useText();
  const number = new Intl.NumberFormat(LOCALES[language]);
  const counts = [...new Set(symbols.flatMap(({ prizes }) => prizes.map(({ count }) => count)))].sort((a, b) => b - a);
  return (
    <div className={css["scrolls"]}>
      <table className={css["symbols"]}>
        <thead>
          <tr>
            <th scope="col">{t("play.aboutSymbol")}</th>
            {counts.map((count) => (
              <th key={count} scope="col">
                {t("play.aboutAlike", { count })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {symbols.map((symbol, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a machine's paytable does not change, and two symbols may have one name.
            <tr key={index}>
              <th scope="row">
                <Name of={symbol.name} />
                {symbol.wild && <small>{t("play.aboutWild")}</small>}
                {symbol.on === "anywhere" && <small>{t("play.aboutAnywhere")}</small>}
              </th>
              {counts.map((count) => {
                const prize = symbol.prizes.find((one) => one.count === count);
                const each = symbol.on === "line" ? stake?.line : stake?.whole;
                const amount = prize?.times === undefined || each === undefined ? undefined : prize.times * each;
                return (
                  <td key={count}>
                    {prize?.times !== undefined && (
                      <span className="num" dir="ltr">
                        ×{number.format(prize.times)}
                      </span>
                    )}
                    {amount !== undefined && Number.isSafeInteger(amount) && (
                      <small>
                        <Money minor={amount} tone="ink" />
                      </small>
                    )}
                    {prize?.freeSpins !== undefined && (
                      <small>{t("play.aboutFreeSpins", { count: prize.freeSpins })}</small>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Name({ of }: { of: OperatorText }) {
  const { language } = useText();
  return <bdi>{operatorText(of, language)}</bdi>;
}

function Features({ paytable: { freeSpinFactor, bonus } }: { paytable: Paytable }) {
  const { t, language } = useText();
  return (
    <>
      {freeSpinFactor !== undefined && <p>{t("play.aboutFactor", { times: freeSpinFactor })}</p>}
      {bonus !== undefined && (
        <p>
          {t("play.aboutBonus", {
            name: operatorText(bonus.name, language),
            reels: new Intl.ListFormat(LOCALES[language], { type: "conjunction" }).format(bonus.reels.map(String)),
            picks: bonus.picks,
            least: bonus.least,
            most: bonus.most,
          })}
        </p>
      )}
    </>
  );
}

const CELL = 6;
const HALF = CELL / 2;
const BOX = CELL - 1;

/** A line of the paytable, drawn over its reels. `line`: on each reel the row from the top, 0 first. */
function LineShape({ line, rows }: { line: readonly number[]; rows: number }) {
  const points = line.map((row, reel) => `${reel * CELL + HALF},${row * CELL + HALF}`).join(" ");
  const cells = line.flatMap((_, reel) =>
    Array.from({ length: rows }, (__, row) => `M${reel * CELL + 0.5} ${row * CELL + 0.5}h${BOX}v${BOX}h-${BOX}z`),
  );
  return (
    <svg className={css["shape"]} viewBox={`0 0 ${line.length * CELL} ${rows * CELL}`} aria-hidden="true">
      <path d={cells.join("")} />
      <polyline points={points} />
    </svg>
  );
}
