import '../styles.css';
import { mount, pageData } from '../ui/mount.tsx';
import { Landing, type LandingData } from './landing.tsx';

mount(<Landing {...pageData<LandingData>()} />);
