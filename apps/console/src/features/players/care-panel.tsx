import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { CaseLamp, useFigureText, useWhen } from "../../shared/care/care-view.tsx";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import css from "./players.module.css";

type Player = AnswerOf<"player">["player"];

/** Cases of one player, and what the measures come to now. */
export function CarePanel({ player }: { readonly player: Player }) {
  const { t } = useText();
  const online = useOnline();
  const mayAct = useMay("care.act");
  const care = useRead("playerCare", { params: { id: player.id } });
  const [open, setOpen] = useState<"openByHand" | "means">();
  const close = () => setOpen(undefined);
  return (
    <Panel title={t("care.panel")} foot={t("care.panelFoot")}>
      <Loaded of={care}>
        {(known) => (
          <div className={panelCss["body"]}>
            <Cases cases={known.cases} />
            <Figures known={known} />
            {mayAct && (
              <div className={css["keys"]}>
                {known.cases[0]?.closedAt !== null && (
                  <Key kind="line" disabled={!online} onClick={() => setOpen("openByHand")}>
                    {t("care.openByHand")}
                  </Key>
                )}
                <Key kind="line" disabled={!online} onClick={() => setOpen("means")}>
                  {t("care.means")}
                </Key>
              </div>
            )}
            <FormSheet open={open !== undefined} title={t(`care.${open ?? "means"}`)} onClose={close}>
              {open === "openByHand" && <OpenForm player={player} close={close} />}
              {open === "means" && <MeansForm player={player} close={close} />}
            </FormSheet>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Cases({ cases }: Pick<AnswerOf<"playerCare">, "cases">) {
  const { t } = useText();
  const at = useWhen();
  if (cases.length === 0) return <p className="soft">{t("care.noCase")}</p>;
  return (
    <ul className={css["signIns"]}>
      {cases.map((row) => (
        <li key={row.id}>
          <span>
            <Link to={`${paths.care}/$id` as string} params={{ id: row.id } as never}>
              {t("care.case")}
            </Link>{" "}
            <small>{at(row.openedAt)}</small>
          </span>
          <CaseLamp row={row} />
        </li>
      ))}
    </ul>
  );
}

function Figures({ known: { figures, declared } }: { readonly known: AnswerOf<"playerCare"> }) {
  const { t } = useText();
  return (
    <Facts
      rows={[
        ...figures.map(
          (one) => [t(`care.measure_${one.measure}`), <FigureNow key={one.measure} figure={one} />] as const,
        ),
        [
          t("care.declared"),
          declared === null ? t("care.declaredNone") : <Money key="declared" minor={declared} tone="ink" />,
        ] as const,
      ]}
    />
  );
}

/** One at its threshold is in bold: a case has it, or will have it at the next look. */
function FigureNow({
  figure: { measure, value, watch },
}: {
  readonly figure: AnswerOf<"playerCare">["figures"][number];
}) {
  const { t } = useText();
  const figure = useFigureText();
  const shown = value === null ? t("care.unsaid") : figure(measure, value);
  return (
    <span className="num">
      {value !== null && value >= watch ? <b>{shown}</b> : shown}{" "}
      <small className="soft">{t("care.limit", { limit: figure(measure, watch) })}</small>
    </span>
  );
}

type FormProps = { readonly player: Player; readonly close: () => void };

function OpenForm({ player, close }: FormProps) {
  const { t } = useText();
  return (
    <ReasonForm
      name="openCareCase"
      params={{ id: player.id }}
      title={t("care.openByHand")}
      about={t("care.openAbout")}
      lines={[[t("care.player"), player.username]]}
      reads={["playerCare", "careCases"]}
      said={t("care.openSaid")}
      close={close}
    />
  );
}

function MeansForm({ player, close }: FormProps) {
  const { t } = useText();
  const [text, setText] = useState("");
  const amount = amountOf(text);
  return (
    <ReasonForm
      name="declareMeans"
      params={{ id: player.id }}
      title={t("care.means")}
      about={t("care.meansAbout")}
      lines={[[t("care.player"), player.username]]}
      fields={{ amount: amount ?? 0 }}
      reads={["playerCare"]}
      said={t("care.meansSaid")}
      close={close}
    >
      <AmountField label={t("care.meansAmount")} value={text} onText={setText} />
    </ReasonForm>
  );
}
