import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useWhen } from "../../shared/care/care-view.tsx";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import css from "../../shared/ui/case.module.css";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { BeforeAndAfter } from "./question-facts.tsx";
import type { QuestionAct, QuestionDetail } from "./question-forms.tsx";
import { NoteForm, QuestionForm } from "./question-forms.tsx";
import { Due, QuestionLamp } from "./questions-page.tsx";
import { Replay } from "./replay.tsx";

/** One question: what each source kept of the game, what was said, and the acts of who has it. */
export function QuestionPage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { t } = useText();
  const found = useRead("dispute", { params: { id } });
  const [momentMs, setMoment] = useState<number>();
  const mayDecide = useMay("dispute.decide");
  const { data } = found;
  const title = data === undefined ? t("disputes.question") : t("disputes.questionOf", { number: String(data.number) });
  return (
    <Page title={title} about={data === undefined ? undefined : `${data.player.username}, ${data.machine.name}`}>
      <Link className={css["link"] ?? ""} to={paths.disputes as string}>
        {t("disputes.back")}
      </Link>
      <Loaded of={found}>
        {(detail) => (
          <div className={css["columns"]}>
            <div className={css["stack"]}>
              <Replay
                machine={detail.machine.id}
                of={detail}
                onMark={mayDecide && detail.state !== "decided" ? setMoment : undefined}
              />
              <FormSheet open={momentMs !== undefined} title={t("disputes.mark")} onClose={() => setMoment(undefined)}>
                {momentMs !== undefined && (
                  <NoteForm detail={detail} momentMs={momentMs} close={() => setMoment(undefined)} />
                )}
              </FormSheet>
            </div>
            <div className={css["stack"]}>
              <BeforeAndAfter detail={detail} />
              <Acts detail={detail} />
              <Said detail={detail} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Acts({ detail }: { readonly detail: QuestionDetail }) {
  const { t } = useText();
  const me = useMe();
  const online = useOnline();
  const mayDecide = useMay("dispute.decide");
  const maySeePlayer = useMay("player.see");
  const at = useWhen();
  const { clock } = useConsole();
  const [act, setAct] = useState<QuestionAct>();
  const close = () => setAct(undefined);
  const { owner, state, dueAt, decidedAt, player, steps, amount, transfer } = detail;
  const isMine = owner?.id === me.person.id;
  const hasQuestion = steps.some(({ kind }) => kind === "question");
  const offered: readonly QuestionAct[] = [
    ...(isMine ? (["decide", ...(hasQuestion ? [] : (["ask"] as const))] as const) : (["take"] as const)),
    "note",
  ];
  return (
    <Panel title={t("disputes.verdict")} tools={<QuestionLamp row={detail} />} foot={t("disputes.actsAbout")}>
      <div className={panelCss["body"]}>
        <p>
          {t("disputes.owner")}: <b>{owner?.name ?? t("disputes.notTaken")}</b>
        </p>
        <Due row={detail} nowMs={clock.now()} />
        <p className="num">
          {decidedAt === null
            ? t("disputes.dueAt", { time: at(dueAt) })
            : t("disputes.decidedAt", { time: at(decidedAt) })}
        </p>
        {amount !== null && (
          <p>
            {t("disputes.paid")}: <Money minor={amount} tone="ink" /> <code className={css["code"]}>{transfer}</code>
          </p>
        )}
        <a className={keyClass({ kind: "line" })} href={`/staff/v1/disputes/${detail.id}/evidence`} download>
          <Icon name="download" />
          {t("disputes.export")}
        </a>
        {maySeePlayer && (
          <Link className={css["link"] ?? ""} to={`${paths.players}/$id` as string} params={{ id: player.id } as never}>
            {t("disputes.toPlayer")}
          </Link>
        )}
        {state !== "decided" && mayDecide && (
          <div className={css["keys"]}>
            {offered.map((one) => (
              <Key key={one} kind="line" disabled={!online} onClick={() => setAct(one)}>
                {one === "take" && owner !== null ? t("disputes.takeFrom", { name: owner.name }) : t(`disputes.${one}`)}
              </Key>
            ))}
          </div>
        )}
        <FormSheet open={act !== undefined} title={t(`disputes.${act ?? "note"}`)} onClose={close}>
          {act !== undefined && <QuestionForm act={act} detail={detail} close={close} />}
        </FormSheet>
      </div>
    </Panel>
  );
}

/** What player and staff said, the oldest first. */
function Said({ detail: { steps, kind } }: { readonly detail: QuestionDetail }) {
  const { t } = useText();
  const at = useWhen();
  return (
    <Panel title={t("disputes.said")}>
      <div className={panelCss["body"]}>
        <ol className={css["steps"]}>
          {steps.map((step) => (
            <li key={`${step.at} ${step.kind}`}>
              <span>
                <b>{t(`disputes.step_${step.kind}`)}</b>
                <small>
                  {step.person?.name ?? t("disputes.thePlayer")}, <span className="num">{at(step.at)}</span>
                </small>
              </span>
              {step.kind === "opened" && <p>{t(`disputes.kind_${kind}`)}</p>}
              {step.sentence !== null && (
                <p dir="auto">
                  <b>{step.sentence}</b>
                </p>
              )}
              {step.text !== null && <p dir="auto">{step.text}</p>}
              {step.erased && <p className="soft">{t("disputes.erased")}</p>}
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  );
}
