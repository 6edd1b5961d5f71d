import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Link } from "@tanstack/react-router";
import { lampOf } from "../../shared/floor/lamp-of.ts";
import { paths } from "../../shared/paths.ts";
import { Facts } from "../../shared/ui/panel.tsx";
import css from "./floor.module.css";
import { LivePicture } from "./live-picture.tsx";

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** A machine over the floor: its live picture and credit; the arrows lead to the next one that is shown. */
export function Peek(props: {
  readonly shown: readonly FloorMachine[];
  readonly id: string | undefined;
  readonly show: (id: string | undefined) => void;
}) {
  const { t } = useText();
  const { shown, id, show } = props;
  const at = shown.findIndex((one) => one.id === id);
  const machine = shown[at];
  return (
    <Sheet open={machine !== undefined} title={machine?.name ?? ""} onClose={() => show(undefined)}>
      {machine !== undefined && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the arrows work on whatever of the sheet has the focus.
        <div
          className={css["peek"]}
          onKeyDown={({ key }) => {
            const to = shown[at + (STEPS[key] ?? 0)];
            if (to !== undefined && to !== machine) show(to.id);
          }}
        >
          <LivePicture key={machine.id} machine={machine} />
          <Facts
            rows={[
              [t("floor.state"), <MachineLamp key="lamp" machine={machine} />],
              [t("floor.player"), machine.player?.username ?? t("floor.free")],
              [t("floor.credit"), <Money key="credit" minor={machine.credit} tone="ink" />],
            ]}
          />
          <Link to={`${paths.floor}/${machine.id}`} className={keyClass({ kind: "brass" })}>
            {t("floor.openMachine")}
          </Link>
        </div>
      )}
    </Sheet>
  );
}

function MachineLamp({ machine }: { readonly machine: FloorMachine }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  return <Lamp status={status}>{t(word)}</Lamp>;
}
