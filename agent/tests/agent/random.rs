//! Random histories of files, servers and restarts against a model.
//!
//! At the end every complete line that is on disk, plain or compressed, must be kept once, in the
//! order of its file; of what was removed, everything a look saw, or the loss must be counted.
//! A fixed hundred of histories is played, those that once failed, and as many new ones as `SEXTANT_HISTORIES` says.
//! `SEXTANT_SEED=<n>` repeats one, with what the agent logs.

use crate::history::History;
use crate::store::{Fault, Store};

const FIXED_HISTORIES: u64 = 100;
/// Histories that once failed.
const KNOWN_HISTORIES: [u64; 9] = [
    2_687_465_254_693_896_746,
    7_550_866_882_246_090_088,
    7_965_484_285_236_567_913,
    8_179_751_348_869_308_183,
    13_973_322_843_172_332_580,
    15_142_331_559_347_630_560,
    16_277_742_452_762_339_101,
    16_902_789_546_530_544_913,
    17_090_400_208_793_617_081,
];
const NEW_HISTORIES: usize = 5;
const STEPS: usize = 50;

const FAULTS: [Fault; 5] =
    [Fault::Status(500), Fault::Status(503), Fault::Busy(0), Fault::Broken, Fault::BrokenAfterKeeping];

async fn play(seed: u64) {
    let store = Store::start().await;
    let mut history = History::new(seed);
    let mut agent = history.agent(&store);
    for _ in 0..STEPS {
        let step = history.rng.u8(..36);
        tracing::info!(step, lives = history.lives_by_name(), "the history goes on");
        match step {
            0..11 => history.append(),
            11 => history.truncate(),
            12 => history.rename(),
            13 => history.begin_file(),
            14 => history.remove(),
            15 => history.remove_and_begin(),
            16 | 17 => history.compress(),
            18 => history.finish_compressing(),
            19 => history.copy_and_truncate(),
            20 => history.jump_in_time(),
            21 | 22 => {
                drop(agent);
                history.damage_state();
                history.restart();
                agent = history.agent(&store);
            }
            23 => history.fill_disk(),
            24 if !store.content().generations.is_empty() => {
                history.rolled_back = true;
                let batches = history.rng.usize(0..4);
                store.content().roll_back(batches);
            }
            25 | 26 => {
                // Most are met by a batch, some by the question before it.
                let fault = *history.rng.choice(&FAULTS).unwrap();
                store.content().faults.push_back(fault);
            }
            27 => {
                // The network is away for a while.
                let attempts = history.rng.usize(1..6);
                store.content().faults.extend(vec![Fault::Broken; attempts]);
            }
            _ => {
                // A fault ends the attempt; the next one begins anew.
                let _ = agent.deliver_once().await;
                history.looked();
            }
        }
    }
    store.content().faults.clear();
    history.come_to_rest();
    for _ in 0..6 {
        agent.deliver_once().await.unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}"));
    }
    history.looked();
    history.check(&store);
}

#[tokio::test]
async fn every_complete_line_is_kept_once_and_in_order() {
    if std::env::var("SEXTANT_SEED").is_ok() {
        let _ = tracing_subscriber::fmt().with_ansi(false).without_time().with_writer(std::io::stderr).try_init();
    }
    let number = std::env::var("SEXTANT_HISTORIES").map_or(NEW_HISTORIES, |number| number.parse().unwrap());
    let seeds: Vec<u64> = if let Ok(seed) = std::env::var("SEXTANT_SEED") {
        vec![seed.parse().unwrap()]
    } else {
        let new = (0..number).map(|_| fastrand::u64(..));
        (0..FIXED_HISTORIES).chain(KNOWN_HISTORIES).chain(new).collect()
    };
    for seed in seeds {
        #[expect(clippy::print_stdout, reason = "the seed is shown when the test fails")]
        {
            println!("SEXTANT_SEED={seed}");
        }
        play(seed).await;
    }
}
