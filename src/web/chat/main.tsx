import { mountHosted } from '../hosted/mount-hosted.ts';
import { ChatPage } from './page.tsx';

mountHosted((data) => <ChatPage {...data} />);
