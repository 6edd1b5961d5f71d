import type { Dispute, DisputeAnswer } from "@longarm/contract/player-disputes";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useId, useState } from "react";
import { operatorText } from "../../shared/contacts/contacts.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { LetterFrom, LetterText } from "../../shared/ui/letter.tsx";
import { WordsField } from "./ask-form.tsx";
import css from "./disputes.module.css";
import type { DisputesApi } from "./disputes.ts";
import { useDisputeActs } from "./disputes.ts";
import { GameHead } from "./game-head.tsx";

type CaseProps = {
  readonly api: DisputesApi;
  readonly answer: DisputeAnswer;
  readonly dispute: Dispute;
  readonly recording: ReactNode;
  readonly onRead: () => void;
};

/** Picture 51: the answer first, the letter, the path with its times, and beside it what was looked at. The same in size and tone whatever the verdict. */
export function CaseView({ api, answer, dispute, recording, onRead }: CaseProps) {
  const { t, language } = useText();
  const { read } = useDisputeActs(api, answer.game.id);
  const { isNew, decision, state, steps } = dispute;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each thing that is new.
  useEffect(() => {
    if (isNew) void read().then(onRead);
  }, [isNew]);
  const letter = steps.find(({ kind }) => kind === "decided");
  const looked = t(decision === null ? "disputes.looking" : "disputes.looked");
  return (
    <div className={css["case"]}>
      <article>
        <Lamp status={state === "decided" ? "available" : "waiting"}>
          {decision === null ? t(`disputes.state_${state}`) : t(`disputes.verdict_${decision.verdict}`)}
        </Lamp>
        <h2 dir="auto">{decision === null ? t("disputes.inWork") : (decision.sentence ?? t("disputes.erased"))}</h2>
        {letter === undefined ? (
          <p>{t("disputes.dueBy", { time: dateTimeText(dispute.dueAt, language) })}</p>
        ) : (
          <>
            <LetterText text={letter.text ?? t("disputes.erasedLetter")} />
            <LetterFrom from={letter.from ?? ""} at={letter.at} />
          </>
        )}
        <Path dispute={dispute} />
        {answer.independentBodies.length > 0 && <IndependentBodies bodies={answer.independentBodies} />}
        {dispute.additionsLeft > 0 && <AddForm api={api} game={answer.game.id} steps={steps} />}
      </article>
      <aside aria-label={looked}>
        <h3>{looked}</h3>
        <GameHead game={answer.game} />
        {recording}
        <Looked answer={answer} />
      </aside>
    </div>
  );
}

/** What was done and said, the oldest first. */
function Path({ dispute: { number, kind: about, steps, decision } }: { readonly dispute: Dispute }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const isolated = (text: string | number) => `\u2068${text}\u2069`;
  return (
    <ol className={css["path"]} aria-label={t("disputes.path")}>
      {steps.map(({ at, kind, from, text, erased }) => (
        <li key={`${at} ${kind}`}>
          <b>{t(`disputes.step_${kind}`)}</b>
          <small>
            {kind === "opened" && `${t("disputes.numberOf", { number: isolated(number) })}, `}
            {from !== null && `${t("disputes.by", { name: isolated(from) })}, `}
            <bdi className="num">{dateTimeText(at, language)}</bdi>
          </small>
          {kind === "opened" && <p>{t(`disputes.kind_${about}`)}</p>}
          {text !== null && kind !== "decided" && <LetterText text={text} />}
          {erased && kind !== "decided" && <p>{t("disputes.erased")}</p>}
        </li>
      ))}
      {decision !== null && decision.amount !== null && (
        <li>
          <b>{t("disputes.step_paid")}</b>
          <small>
            {t("disputes.paid", {
              amount: isolated(moneyText(decision.amount, currency, language)),
              transfer: isolated(decision.transfer ?? ""),
            })}
          </small>
        </li>
      )}
    </ol>
  );
}

/** To whom a player may turn who is not content with the verdict. */
function IndependentBodies({ bodies }: { readonly bodies: DisputeAnswer["independentBodies"] }) {
  const { t, language } = useText();
  const id = useId();
  return (
    <section className={css["bodies"]} aria-labelledby={id}>
      <h3 id={id}>{t("disputes.notContent")}</h3>
      <p>{t("disputes.notContentAbout")}</p>
      <ul>
        {bodies.map((body) => (
          <li key={JSON.stringify(body)} dir="auto">
            <b>{operatorText(body.name, language)}</b>
            {body.address !== null && <address>{operatorText(body.address, language)}</address>}
            {body.url !== null && (
              <a href={body.url} target="_blank" rel="noreferrer">
                <bdi dir="ltr">{body.url.replace(/^https?:\/\//, "")}</bdi>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What machine, meters, books and recording say, each in a sentence. */
function Looked({ answer: { game, booked } }: { readonly answer: DisputeAnswer }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const money = (minor: number) => `\u2068${moneyText(minor, currency, language)}\u2069`;
  const { stake, win, addsUp } = game;
  const said = [
    [
      t("disputes.machine"),
      stake === null || win === null
        ? t("disputes.machineSilent")
        : t("disputes.machineSays", { stake: money(stake), win: money(win) }),
    ],
    [t("disputes.meters"), t(addsUp ? "disputes.metersAgree" : "disputes.metersDiffer")],
    [
      t("disputes.books"),
      booked === null
        ? t("disputes.booksNothing")
        : t(booked.amount < 0 ? "disputes.booksTook" : "disputes.booksGave", {
            amount: money(Math.abs(booked.amount)),
            time: dateTimeText(booked.at, language),
          }),
    ],
  ] as const;
  return (
    <dl className={css["looked"]}>
      {said.map(([name, words]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Words of the player before the verdict, also as the answer to a question of staff. */
function AddForm({
  api,
  game,
  steps,
}: {
  readonly api: DisputesApi;
  readonly game: string;
  readonly steps: Dispute["steps"];
}) {
  const speech = useText();
  const { t } = speech;
  const [text, setText] = useState("");
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { add } = useDisputeActs(api, game);
  const isAnswer = steps.findLast(({ kind }) => kind !== "taken")?.kind === "question";
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy || text.trim() === "") return;
    setBusy(true);
    setFailed(undefined);
    const failure = await add(text.trim());
    setBusy(false);
    if (failure === undefined) setText("");
    else setFailed(failureText(speech, failure));
  }
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <WordsField label={t(isAnswer ? "disputes.answerIt" : "disputes.addWords")} value={text} onText={setText} />
      {failed !== undefined && (
        <p role="alert" className={css["failed"]}>
          {failed}
        </p>
      )}
      <Key kind="line" type="submit" busy={busy} disabled={text.trim() === ""}>
        {t("disputes.add")}
      </Key>
    </form>
  );
}
