import type { LimitPeriod } from "@longarm/contract/player-protection";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { CaseLamp, Signs, useFigureText, useWhen } from "../../shared/care/care-view.tsx";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import type { TextKey } from "../../shared/texts.ts";
import css from "../../shared/ui/case.module.css";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import type { CaseAct, CaseDetail } from "./case-forms.tsx";
import { CaseForm } from "./case-forms.tsx";

/** One case: what was seen, what was done, and the acts of who has it. */
export function CasePage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { t } = useText();
  const found = useRead("careCase", { params: { id } });
  return (
    <Page title={found.data?.player.username ?? t("care.case")} about={t("care.case")}>
      <Link className={css["link"] ?? ""} to={paths.care as string}>
        {t("care.back")}
      </Link>
      <Loaded of={found}>
        {(detail) => (
          <div className={css["columns"]}>
            <div className={css["stack"]}>
              <Panel title={t("care.signs")} tools={<CaseLamp row={detail} />}>
                <div className={panelCss["body"]}>
                  <Signs signs={detail.signs} />
                </div>
              </Panel>
              <Panel title={t("care.steps")}>
                <div className={panelCss["body"]}>
                  <Steps steps={detail.steps} />
                </div>
              </Panel>
            </div>
            <Acts detail={detail} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Acts({ detail }: { readonly detail: CaseDetail }) {
  const { t } = useText();
  const me = useMe();
  const online = useOnline();
  const mayAct = useMay("care.act");
  const maySeePlayer = useMay("player.see");
  const at = useWhen();
  const [act, setAct] = useState<CaseAct>();
  const close = () => setAct(undefined);
  const { owner, closedAt, closedBy, player, letterFrom } = detail;
  const isMine = owner?.id === me.person.id;
  const offered: readonly CaseAct[] = [
    ...(isMine ? [] : (["take"] as const)),
    ...(isMine ? (["letter", "timeOut", "close"] as const) : []),
    "note",
  ];
  return (
    <Panel title={t("care.acts")} foot={t("care.actsAbout")}>
      <div className={panelCss["body"]}>
        <p>
          {t("care.owner")}: <b>{closedBy?.name ?? owner?.name ?? t("care.notTaken")}</b>
        </p>
        {maySeePlayer && (
          <Link className={css["link"] ?? ""} to={`${paths.players}/$id` as string} params={{ id: player.id } as never}>
            {t("care.toPlayer")}
          </Link>
        )}
        {closedAt === null && mayAct && (
          <div className={css["keys"]}>
            {offered.map((one) => (
              <Key
                key={one}
                kind={one === "timeOut" ? "danger" : "line"}
                disabled={!online || (one === "letter" && letterFrom !== null)}
                onClick={() => setAct(one)}
              >
                {one === "take" && owner !== null ? t("care.takeFrom", { name: owner.name }) : t(`care.${one}`)}
              </Key>
            ))}
          </div>
        )}
        {isMine && letterFrom !== null && <Note kind="wait">{t("care.letterLater", { time: at(letterFrom) })}</Note>}
        <FormSheet open={act !== undefined} title={t(`care.${act ?? "note"}`)} onClose={close}>
          {act !== undefined && <CaseForm act={act} detail={detail} close={close} />}
        </FormSheet>
      </div>
    </Panel>
  );
}

type Step = AnswerOf<"careCase">["steps"][number];

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = useText();
  const at = useWhen();
  return (
    <ol className={css["steps"]}>
      {steps.map((step) => (
        <li key={`${step.at} ${step.kind}`}>
          <span>
            <b>{t(`care.step_${step.kind}`)}</b>
            <small>
              {step.person?.name ?? t("care.platform")}, <span className="num">{at(step.at)}</span>
            </small>
          </span>
          {step.text !== null && <p dir="auto">{step.text}</p>}
          <Aside step={step} />
        </li>
      ))}
    </ol>
  );
}

/** What more there is to a step: the end of a time-out, the advice of a letter, whether it was put away. */
function Aside({ step: { kind, until, advice, readAt } }: { readonly step: Step }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const figure = useFigureText();
  const at = useWhen();
  const lines: string[] = [];
  if (until !== null) lines.push(t("care.until", { time: at(until) }));
  if (advice !== null) {
    const [limit = "", period] = advice.key.split(".") as [string, LimitPeriod];
    const value =
      limit === "time"
        ? figure("time", advice.value)
        : `\u2068${moneyText(advice.value, currency, language, true)}\u2069`;
    const words = { limit: t(`care.limit_${limit}` as TextKey), period: t(`care.period_${period}`), value };
    lines.push(t("care.advises", words));
  }
  if (kind === "letter") lines.push(readAt === null ? t("care.notRead") : t("care.read", { time: at(readAt) }));
  return lines.length === 0 ? null : <small>{lines.join(" · ")}</small>;
}
