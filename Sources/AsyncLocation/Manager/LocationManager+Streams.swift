/// Streams. Each access is a subscription of its own that begins then and there: every report that
/// arrives later reaches it, or is counted as dropped, even before the first `next()`. Elements come
/// in the order of arrival, which is the same for every subscriber. What waits when permission is
/// withdrawn is discarded, and what is precise when accuracy is reduced; it counts as dropped. Ending the loop and dropping the
/// stream, or cancelling the loop's task, unsubscribes; the last one out stops the receiver.
///
/// A stream that has not ended holds its source open, also when the manager is gone.
extension LocationManager {
  /// Every location, as it arrives.
  ///
  /// Iterate with `for try await`: the stream throws ``LocationError`` when permission is refused
  /// or withdrawn, or the source fails for good. A receiver without a fix or a gpsd that restarts
  /// ends nothing; ``liveUpdates``, which never throws, and ``connectionStates`` tell of them.
  /// At ``shutdown()`` it ends without an error; opened after that, it throws
  /// ``LocationError/Code/shutDown``. Cancelling the task of a loop ends the stream without an error,
  /// for all loops over it, and discards what is buffered; ``updates(_:)`` keeps that. The newest
  /// elements are kept, up to ``Configuration/buffering``.
  public nonisolated var updates: AsyncThrowingStream<Location, any Error> {
    locations(UpdateOptions(buffering: buffering)).throwingStream()
  }

  /// The locations that these options let through; cheaper than ``updates``, and with a typed error.
  ///
  /// Ends and throws as ``updates`` does, and throws ``LocationError/Code/invalidValue`` for a
  /// ``UpdateOptions/device`` that no receiver can have.
  public nonisolated func updates(_ options: UpdateOptions) -> LocationUpdates {
    LocationUpdates(locations(options))
  }

  /// The locations that these options let through, all that wait at a time.
  ///
  /// For subscribers that handle many locations at once: a batch lends its locations and copies none.
  /// Ends and throws as ``updates(_:)`` does.
  public nonisolated func batches(
    _ options: UpdateOptions = UpdateOptions()
  ) -> LocationBatches {
    LocationBatches(locations(options))
  }

  /// Headings that differ by a degree or more; from a compass where there is one, else from the
  /// course over ground while moving: ``Heading/source`` says which. Ends and throws as ``updates``
  /// does.
  public nonisolated var headings: AsyncThrowingStream<Heading, any Error> {
    headings(HeadingOptions(buffering: buffering)).throwingStream()
  }

  /// The headings that these options let through. Ends and throws as ``updates(_:)`` does.
  public nonisolated func headings(_ options: HeadingOptions) -> HeadingUpdates {
    HeadingUpdates(headings(options))
  }

  /// Every view of the sky, as it arrives. Ends and throws as ``updates`` does.
  public nonisolated var satellites: AsyncThrowingStream<SatelliteView, any Error> {
    let channel = BoundedChannel<SatelliteView>(buffering, gate: hub.gate)
    return subscribe(channel, .satellites) { $1.join($0, channel, &$2) }.throwingStream()
  }

  /// Every location, or the reason why there is none; never throws, so `for await` serves.
  ///
  /// Each reason is an element of its own, once; one that holds already comes first. A refusal does
  /// not end the stream, which goes on when permission is granted. It ends when the manager is shut
  /// down or the source ends, and at once when it is opened after ``shutdown()``.
  public nonisolated var liveUpdates: AsyncStream<LocationUpdate> {
    let channel = BoundedChannel<LocationUpdate>(buffering, gate: hub.gate)
    return subscribe(channel, .live) { $1.join($0, channel, &$2) }.stream()
  }

  /// How the backend stands with its source, the present state first. Watching starts nothing.
  /// Ends at ``shutdown()``, and at once when it is opened later.
  ///
  /// While connected, a receiver that a subscriber's options name and the source lacks is the
  /// ``ConnectionState/problem``, with ``LocationError/Code/deviceUnknown``.
  public nonisolated var connectionStates: AsyncStream<ConnectionState> {
    let channel = BoundedChannel<ConnectionState>(buffering)
    return subscribe(channel, .connections) { $1.join($0, channel, &$2) }.stream()
  }

  /// What the manager is allowed, the present answer first, which may wait as
  /// ``authorization()`` does. Watching asks nobody. Ends at ``shutdown()``, and at once when it is
  /// opened later.
  public nonisolated var authorizationUpdates: AsyncStream<Authorization> {
    let channel = BoundedChannel<Authorization>(buffering)
    return subscribe(channel, .authorizations) { $1.join($0, channel, &$2) }.stream()
  }

  private nonisolated func locations(_ options: UpdateOptions) -> Subscription<Location> {
    let channel = BoundedChannel<Location>(options.buffering, gate: hub.gate)
    let now = hub.timeline.now()
    return subscribe(channel, .locations) { $1.join($0, channel, options, at: now, &$2) }
  }

  private nonisolated func headings(_ options: HeadingOptions) -> Subscription<Heading> {
    let channel = BoundedChannel<Heading>(options.buffering, gate: hub.gate)
    return subscribe(channel, .headings) { $1.join($0, channel, options, &$2) }
  }

  private nonisolated func subscribe<Element>(
    _ channel: BoundedChannel<Element>, _ stream: FanOut.Stream,
    _ join: (UInt64, inout HubState, inout Effects) -> Void
  ) -> Subscription<Element> {
    let id = hub.newID()
    hub.decide { join(id, &$0, &$1) }
    return Subscription(channel) { [lifetime] in
      lifetime.hub.decide { $0.leave(id, stream, &$1) }
    }
  }
}
