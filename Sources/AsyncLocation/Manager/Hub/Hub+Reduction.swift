/// The choice of reduced locations, which may be stored.
extension Hub {
  /// Chooses a reduced location; a location that waits for it is then delivered.
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

  /// Returns when no location waits for its reduced location, or when the calling task is
  /// cancelled. A run that returned ends after its last location.
  func waitForChoices() async {
    await wait(with: \.reductions.waiters) { !$0.reductions.isEmpty }
  }
}
