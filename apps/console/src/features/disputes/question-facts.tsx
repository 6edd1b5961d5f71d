import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { ReactNode } from "react";
import { useMe } from "../../shared/me.ts";
import css from "../../shared/ui/case.module.css";
import { Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import type { GameFacts } from "./marks.ts";
import type { QuestionDetail } from "./question-forms.tsx";
import { useWrittenWords } from "./written-words.ts";

type DetailProps = { readonly detail: Pick<QuestionDetail, "game" | "gameBefore" | "gameAfter" | "facts"> };

/** An amount; what no source says is a dash with its reason. */
function Amount({ minor }: { readonly minor: number | null }) {
  const { t } = useText();
  if (minor !== null) return <Money minor={minor} tone="ink" />;
  return (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{t("disputes.notKept")}</span>
    </span>
  );
}

/** The game by the machine, by the games beside it and by the ledger: each figure in the column of who says it. */
export function BeforeAndAfter({ detail: { game, gameBefore, gameAfter, facts } }: DetailProps) {
  const { t } = useText();
  const { stake, win, handPaid, before, after, addsUp, number } = game;
  const own = facts.booked.find(({ isOfGame }) => isOfGame);
  const sign = own?.from === "house" ? 1 : -1;
  const booked = own === undefined ? null : sign * own.amount;
  const result = stake === null || win === null ? null : win - stake - (handPaid ?? 0);
  const rows: readonly (readonly [string, number | null, number | null, number | null])[] = [
    [t("disputes.before"), before, gameBefore?.creditAfter ?? null, null],
    [t("disputes.stake"), stake, null, null],
    [t("disputes.win"), win, null, null],
    [t("disputes.byHand"), handPaid, null, null],
    [t("disputes.after"), after, gameAfter?.creditBefore ?? null, null],
    [t("disputes.result"), result, null, booked ?? (result === 0 ? 0 : null)],
  ];
  const isApart = differ(before, gameBefore?.creditAfter) || differ(after, gameAfter?.creditBefore);
  const agrees = addsUp && (booked ?? 0) === (result ?? 0);
  return (
    <Panel
      title={t("disputes.gameTitle", { number: String(number) })}
      foot={<Lamp status={agrees ? "available" : "fault"}>{t(agrees ? "disputes.agrees" : "disputes.differs")}</Lamp>}
    >
      <Scroller>
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{t("disputes.figure")}</th>
              <th scope="col">{t("disputes.machine")}</th>
              <th scope="col">{t("disputes.beside")}</th>
              <th scope="col">{t("disputes.ledger")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...values]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {values.map((minor, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never move.
                  <td key={column} className="num">
                    <Amount minor={minor} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {isApart && <Note kind="wait">{t("disputes.besideApart")}</Note>}
    </Panel>
  );
}

const differ = (one: number | null, other: number | undefined): boolean =>
  one !== null && other !== undefined && one !== other;

type Entry = { readonly at: string; readonly source: "machine" | "ledger" | "audit"; readonly words: ReactNode };

/** Everything that was kept of these seconds, in one order; what was not kept is said, and never filled in. */
export function Written({ of: { game, facts } }: { readonly of: GameFacts }) {
  const { t } = useText();
  const { venue } = useMe();
  const names = useWrittenWords();
  const clock = timeFormat("en", {
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" },
    timeZone: venue.timeZone,
  });
  const rows: Entry[] = [
    { at: game.start, source: "machine", words: t("disputes.gameBegan") },
    { at: game.end, source: "machine", words: t("disputes.gameEnded") },
    ...facts.events.map(
      ({ at, kind, amount }): Entry => ({
        at,
        source: "machine",
        words: (
          <>
            <code className={css["code"]}>{kind}</code> {amount !== null && <Money minor={amount} tone="ink" />}
          </>
        ),
      }),
    ),
    ...facts.booked.map(
      ({ at, id, kind, from, to, amount }): Entry => ({
        at,
        source: "ledger",
        words: (
          <>
            {names.kind(kind)} <Money minor={amount} tone="ink" />, {names.way({ from, to })}{" "}
            <code className={css["code"]}>{id}</code>
          </>
        ),
      }),
    ),
    ...(facts.audit ?? []).map(
      ({ at, type, actor }): Entry => ({
        at,
        source: "audit",
        words: (
          <>
            <code className={css["code"]}>{type}</code> {names.party(actor)}
          </>
        ),
      }),
    ),
  ];
  const entries = rows.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Panel title={t("disputes.written")} foot={t("disputes.writtenAbout")}>
      {facts.audit === null && <Note kind="wait">{t("disputes.noAudit")}</Note>}
      <Scroller>
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{t("disputes.time")}</th>
              <th scope="col">{t("disputes.what")}</th>
              <th scope="col">{t("disputes.source")}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ at, source, words }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: what was kept never changes.
              <tr key={index} data-source={source}>
                <td className="num">
                  <bdi dir="ltr">{clock.format(Date.parse(at))}</bdi>
                </td>
                <td>{words}</td>
                <td>{t(`disputes.source_${source}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Panel>
  );
}
