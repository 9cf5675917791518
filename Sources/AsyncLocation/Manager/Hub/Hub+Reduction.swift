/// Chooses reduced locations, which may be stored.
extension Hub {
  /// Starts the choice of a reduced location. A location that waits for this choice is then
  /// delivered.
  func choose(_ choice: ReductionChoice) {
    activity?.begin()
    let device = choice.location.sourceInformation.deviceID
    Task.detached(executorPreference: executor) { [weak self, activity] in
      let isStored = await choice.tracks.choose(choice.location) { [weak self] in
        self?.decide { state, _ in state.isWanted(device) } ?? false
      }
      self?.decide { $0.choiceWasMade(for: device, isStored: isStored, &$1) }
      activity?.end()
    }
  }

  /// Waits until no choice is in progress, or until the calling task is cancelled. A run that has
  /// returned thus ends after its last location.
  func waitForChoices() async {
    await wait(with: \.reductions.waiters) { !$0.reductions.isEmpty }
  }
}
