import '../styles.css';
import { en } from '../texts/en.ts';
import { mount, pageData } from '../ui/mount.tsx';
import { Landing, type LandingData } from './landing.tsx';

mount(<Landing {...pageData<LandingData>()} />, en);
