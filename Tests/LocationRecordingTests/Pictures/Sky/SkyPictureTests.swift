import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct SkyPictureTests {
  private static func satellite(
    _ prn: Int, _ constellation: Satellite.Constellation? = .gps,
    elevation: Double? = 45, azimuth: Double? = 90, signal: Double? = 40, used: Bool = true
  ) throws -> Satellite {
    try Satellite(
      prn: prn, constellation: constellation, vehicle: prn, elevation: elevation, azimuth: azimuth,
      signalStrength: signal, isUsed: used)
  }

  @Test(
    arguments: [
      (90.0, 0.0, 250.0, 250.0), (0, 0, 250, 50), (0, 90, 450, 250), (0, 180, 250, 450),
      (0, 270, 50, 250), (45, 90, 350, 250),
    ] as [(Double, Double, Double, Double)])
  func northIsUpAndEastIsRight(
    elevation: Double, azimuth: Double, x: Double, y: Double
  ) throws {
    let place = try #require(
      SkyLayout.place(Self.satellite(1, elevation: elevation, azimuth: azimuth)))
    #expect(place.distance(to: PlanePoint(x, y)) < 1e-9)
  }

  @Test(arguments: [(nil, 40.0), (45.0, nil), (-3, 40)] as [(Double?, Double?)])
  func aSatelliteWithoutADirectionIsOnlyCounted(_ elevation: Double?, _ azimuth: Double?) throws {
    let view = try SatelliteView(
      satellites: [
        Self.satellite(1, elevation: elevation, azimuth: azimuth), Self.satellite(2),
      ])
    let layout = SkyLayout(view)
    #expect(layout.marks.map(\.satellite.prn) == [2])
    #expect(layout.unplaced.map(\.prn) == [1])
    #expect(SkyPicture(view).svg().contains("1 without a direction"))
  }

  @Test func strongerSignalsHaveLargerMarks() throws {
    let sizes = try [nil, 5, 10, 30, 50, 99].map {
      SkyLayout.size(try Self.satellite(1, signal: $0))
    }
    #expect(sizes == [4, 4, 4, 7.5, 11, 11])
  }

  @Test func constellationsHaveShapesOfTheirOwn() {
    let all = Satellite.Constellation.allCases.map { $0 as Satellite.Constellation? } + [nil]
    let shapes = all.map { SatelliteShape.path($0, 8) }
    #expect(Set(shapes).count == all.count)
    #expect(Set(all.map(SatelliteShape.colorClass)).count == all.count)
  }

  @Test func labelsDoNotCoverEachOther() throws {
    var random = SplitMix64(seed: 5)
    let satellites = try (1...60).map { number in
      try Self.satellite(
        number, .galileo, elevation: .random(in: 0...90, using: &random),
        azimuth: .random(in: 0...359, using: &random))
    }
    let layout = SkyLayout(try SatelliteView(satellites: satellites))
    let labels = layout.marks.compactMap(\.label)
    #expect(layout.marks.count == 60)
    #expect((20..<60).contains(labels.count))
    for (index, label) in labels.enumerated() {
      for other in labels.dropFirst(index + 1) {
        let isApart =
          abs(label.point.y - other.point.y) > 12 || abs(label.point.x - other.point.x) > 10
        #expect(isApart)
      }
    }
  }

  @Test("F59 a title is text")
  func isWellFormed() throws {
    let satellites = try Satellite.Constellation.allCases.enumerated().map { index, constellation in
      try Self.satellite(
        index + 1, constellation, elevation: 60, azimuth: Double(index * 40),
        used: index.isMultiple(of: 2))
    }
    let view = try SatelliteView(
      satellites: satellites + [Self.satellite(99, nil, elevation: 10, azimuth: 10)])
    let svg = SkyPicture(view, title: TrackPictureTests.hostileName).svg()
    let elements = try TrackPictureTests.elements(svg)
    #expect(elements.filter { $0.attributes["role"] == "listitem" }.count == satellites.count + 1)
    #expect(!elements.contains { $0.name == "script" || $0.attributes["onload"] != nil })
    let classes = elements.compactMap { $0.attributes["class"] }
    #expect(classes.contains("mark gps used"))
    #expect(classes.contains("mark sbas"))
    for text in ["GPS 1: elevation 60°, azimuth 0°, 40 dB-Hz, used", "5 used, 9 in view"] {
      #expect(svg.contains(text), "\(text)")
    }
  }

  @Test func anEmptySkyIsWellFormed() throws {
    _ = try TrackPictureTests.elements(SkyPicture(try SatelliteView(satellites: [])).svg())
  }
}
