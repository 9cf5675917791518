extension TrackContent: MapContent {
  var colorCount: Int { ColorScale.colorCount }

  func endMarks(in space: inout LabelSpace) -> Markup {
    guard let ends else { return .empty }
    let (start, end) = (ends.start, ends.end)
    let isLoop = start.distance(to: end) < 16
    space.occupy(start, radius: 8)
    space.occupy(end, radius: 8)
    let halfSide = 6.0
    var markup: Markup = """
      <rect class="end" x="\(end.x - halfSide)" y="\(end.y - halfSide)" \
      width="\(2 * halfSide)" height="\(2 * halfSide)" rx="1.5"><title>End</title></rect>
      <circle class="start" cx="\(start.x)" cy="\(start.y)" r="\(isLoop ? 4 : 6.5)">\
      <title>Start</title></circle>

      """
    let labels =
      statistics.pointCount == 1
      ? [("Position", start)]
      : isLoop ? [("Start, end", start)] : [("Start", start), ("End", end)]
    for (text, place) in labels {
      let options: [LabelSpace.Option] = [
        .init(place.x + 12, place.y + 4, .start), .init(place.x - 12, place.y + 4, .end),
        .init(place.x, place.y - 16, .middle), .init(place.x, place.y + 28, .middle),
      ]
      guard let option = space.reserve(text, options) else { continue }
      markup += MapLabel.markup("label strong", text, option)
    }
    return markup
  }
}
