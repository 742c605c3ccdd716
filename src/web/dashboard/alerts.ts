import { useEffect, useRef } from 'react';
import { useLive } from './live/live-activity.tsx';
import { localSetting } from './local-setting.ts';

/** The user wants a sound when something new waits in the inbox. */
export const SOUND = localSetting('inbox-sound', false);

/** The user wants the number of what waits in the title of the browser's tab. */
export const BADGE = localSetting('inbox-badge', false);

/** How much waits in the inbox. */
export function useWaiting(): number | undefined {
  const { counters } = useLive();
  return counters && counters.pendingActions + counters.waitingForPerson;
}

/** The number for the title, or 0 if the user wants it not. */
export function useBadge(): number {
  const waiting = useWaiting() ?? 0;
  const [isOn] = BADGE.use();
  return isOn ? waiting : 0;
}

/** Plays the sound when more waits than before. */
export function useSound(): void {
  const waiting = useWaiting();
  const [isOn] = SOUND.use();
  const before = useRef(waiting);
  useEffect(() => {
    if (isOn && waiting !== undefined && before.current !== undefined && waiting > before.current) playSound();
    before.current = waiting;
  }, [isOn, waiting]);
}

/** Two short tones, in Hz. */
const TONES = [660, 880] as const;
const TONE_SECONDS = 0.12;

let audio: AudioContext | undefined;

export function playSound(): void {
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  for (const [index, frequency] of TONES.entries()) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = currentTime + index * TONE_SECONDS;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    tone.connect(volume).connect(destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}
