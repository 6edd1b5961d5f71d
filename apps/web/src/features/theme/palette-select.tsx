import { Select } from "@base-ui/react/select";
import { useText } from "../../shared/i18n/use-text.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import "./palettes.css";
import css from "./palette-select.module.css";
import type { PaletteId } from "./palettes.ts";
import { FOLLOWING, PALETTE_IDS, paletteOf } from "./palettes.ts";

type PaletteSelectProps = {
  readonly label: string;
  readonly value: string;
  /** The main palette, for those of a bar that follow it; the main palette itself follows nothing. */
  readonly main?: PaletteId;
  readonly onChange: (id: string) => void;
};

/** A palette by its name, in its own colours. */
export function PaletteSelect({ label, value, main, onChange }: PaletteSelectProps) {
  const { t } = useText();
  const ids = main === undefined ? PALETTE_IDS : ([...FOLLOWING, ...PALETTE_IDS] as const);
  const chosen = ids.find((id) => id === value) ?? "night";
  return (
    <Select.Root value={chosen} onValueChange={(id) => id !== null && onChange(id)} modal={false}>
      <div className={css["row"]}>
        <Select.Label className={css["label"]}>{label}</Select.Label>
        <Select.Trigger className={css["well"]}>
          <Select.Value>{() => <Sample id={paletteOf(chosen, main)} name={t(`theme.${chosen}`)} />}</Select.Value>
          <Select.Icon>
            <Icon name="down" />
          </Select.Icon>
        </Select.Trigger>
      </div>
      <Select.Portal>
        <Select.Positioner className={css["positioner"]} alignItemWithTrigger={false} sideOffset={4}>
          <Select.Popup className={css["popup"]}>
            {ids.map((id) => (
              <Select.Item key={id} value={id} className={css["item"]}>
                <Sample id={paletteOf(id, main)} name={t(`theme.${id}`)} />
                <Select.ItemIndicator className={css["check"]}>
                  <Icon name="check" />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

/** The name of a palette on its own surface, beside strips of its colours. */
function Sample({ id, name }: { id: PaletteId; name: string }) {
  return (
    <span className={css["sample"]} data-palette={id}>
      <span>{name}</span>
      <span className={css["strips"]} aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </span>
    </span>
  );
}
