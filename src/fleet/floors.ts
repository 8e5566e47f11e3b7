import { size } from "../util/figures.ts";
import type { WaitReason } from "./admission.ts";

/** In bytes. */
export interface Floors {
  disk: number;
  memory: number;
}

/** What there is, as far as it could be found out. */
export interface Free {
  disks: readonly { folder: string; free: number }[];
  memory: number;
}

/** Why nothing may start on this machine now. */
export function belowFloor({ disks, memory }: Free, floors: Floors): WaitReason | undefined {
  const full = disks.find(({ free }) => free < floors.disk);
  if (full) {
    const text = `the disk of ${full.folder} has ${size(full.free)} free, and fleet.min_free_disk is ${size(floors.disk)}`;
    return { code: "disk", text };
  }
  if (memory >= floors.memory) return undefined;
  const text = `${size(memory)} of memory is available, and fleet.min_free_memory is ${size(floors.memory)}`;
  return { code: "memory", text };
}
